export void pic(uniform int n, uniform int side, uniform const float x[], uniform const float y[],
                uniform uint32 grid[])
{
    foreach (p = 0 ... n) {
        int i = (int)x[p], j = (int)y[p];
        int k = j * side + i;
        float u = x[p] - i, v = y[p] - j;
        atomic_add_global(&grid[k], (uint32)(int)((1.0f - u) * (1.0f - v) * 4096.0f));
        atomic_add_global(&grid[k + 1], (uint32)(int)(u * (1.0f - v) * 4096.0f));
        atomic_add_global(&grid[k + side], (uint32)(int)((1.0f - u) * v * 4096.0f));
        atomic_add_global(&grid[k + side + 1], (uint32)(int)(u * v * 4096.0f));
    }
}
