export void mandelbrot(uniform int width, uniform int height, uniform int limit,
                       uniform float x0, uniform float y0, uniform float dx, uniform float dy,
                       uniform uint32 count[])
{
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            float cr = x0 + x * dx, ci = y0 + y * dy;
            float zr = cr, zi = ci;
            int i = 0;
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
