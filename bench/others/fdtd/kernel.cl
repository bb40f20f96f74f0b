kernel void fdtd_ey(uint width, uint height, uint step, global const float *restrict source,
                    global float *restrict ey, global const float *restrict hz)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x >= width || y >= height)
        return;
    ey[i] = y == 0 ? source[step] : ey[i] - 0.5f * (hz[i] - hz[i - width]);
}

kernel void fdtd_ex(uint width, uint height, global float *restrict ex,
                    global const float *restrict hz)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x > 0 && x < width && y < height)
        ex[i] -= 0.5f * (hz[i] - hz[i - 1]);
}

kernel void fdtd_hz(uint width, uint height, global const float *restrict ex,
                    global const float *restrict ey, global float *restrict hz)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x < width - 1 && y < height - 1)
        hz[i] -= 0.7f * (ex[i + 1] - ex[i] + ey[i + width] - ey[i]);
}
