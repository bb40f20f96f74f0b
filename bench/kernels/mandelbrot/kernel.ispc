export void mandelbrot(uniform uint32 width, uniform uint32 height, uniform uint32 limit,
                       uniform float x0, uniform float y0, uniform float dx, uniform float dy,
                       uniform uint32 count[])
{
    for (uniform uint32 y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            float cr = x0 + x * dx, ci = y0 + y * dy;
            float zr = cr, zi = ci;
            uint32 i = 0;
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
    }
}
