kernel void jacobi(uint wide, uint high, global const float *restrict a, global float *restrict b)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || x >= wide - 1 || y < 1 || y >= high - 1)
        return;
    uint i = y * wide + x;
    b[i] = 0.2f * (a[i] + a[i - 1] + a[i + 1] + a[i + wide] + a[i - wide]);
}
