kernel void mandelbrot(uint width, uint height, uint limit, float x0, float y0, float dx, float dy,
                       global uint *count)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float cr = x0 + x * dx, ci = y0 + y * dy, zr = cr, zi = ci;
    uint i = 0;
    while (i < limit) {
        float zr2 = zr * zr, zi2 = zi * zi;
        if (zr2 + zi2 > 4.0f)
            break;
        zi = 2.0f * zr * zi + ci;
        zr = zr2 - zi2 + cr;
        i++;
    }
    count[y * width + x] = i;
}
