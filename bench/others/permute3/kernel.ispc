export void permute3(uniform int nx, uniform int ny, uniform int nz, uniform const float a[],
                     uniform float b[])
{
    for (uniform int z = 0; z < nz; z++)
        for (uniform int y = 0; y < ny; y++)
            foreach (x = 0 ... nx) {
                b[(x * nz + z) * ny + y] = a[(z * ny + y) * nx + x];
            }
}
