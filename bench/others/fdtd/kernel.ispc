export void fdtd_ey(uniform int width, uniform int height, uniform int step,
                    uniform const float source[], uniform float ey[], uniform const float hz[])
{
    foreach (x = 0 ... width)
        ey[x] = source[step];
    for (uniform int y = 1; y < height; y++) {
        foreach (x = 0 ... width) {
            int i = y * width + x;
            ey[i] -= 0.5f * (hz[i] - hz[i - width]);
        }
    }
}

export void fdtd_ex(uniform int width, uniform int height, uniform float ex[],
                    uniform const float hz[])
{
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 1 ... width) {
            int i = y * width + x;
            ex[i] -= 0.5f * (hz[i] - hz[i - 1]);
        }
    }
}

export void fdtd_hz(uniform int width, uniform int height, uniform const float ex[],
                    uniform const float ey[], uniform float hz[])
{
    for (uniform int y = 0; y < height - 1; y++) {
        foreach (x = 0 ... width - 1) {
            int i = y * width + x;
            hz[i] -= 0.7f * (ex[i + 1] - ex[i] + ey[i + width] - ey[i]);
        }
    }
}
