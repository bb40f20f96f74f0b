kernel void permute3(uint nx, uint ny, uint nz, global const float *restrict a,
                     global float *restrict b)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= nx || y >= ny || z >= nz)
        return;
    b[(x * nz + z) * ny + y] = a[(z * ny + y) * nx + x];
}
