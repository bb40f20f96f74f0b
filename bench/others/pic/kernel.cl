kernel void pic(uint n, uint side, global const float *restrict x, global const float *restrict y,
                global uint *grid)
{
    size_t p = get_global_id(0);
    if (p >= n)
        return;
    uint i = x[p], j = y[p], k = j * side + i;
    float u = x[p] - i, v = y[p] - j;
    atomic_add(&grid[k], (uint)((1.0f - u) * (1.0f - v) * 4096.0f));
    atomic_add(&grid[k + 1], (uint)(u * (1.0f - v) * 4096.0f));
    atomic_add(&grid[k + side], (uint)((1.0f - u) * v * 4096.0f));
    atomic_add(&grid[k + side + 1], (uint)(u * v * 4096.0f));
}
