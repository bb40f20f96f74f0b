export void ell(uniform int n, uniform int width, uniform const uint32 col[],
                uniform const float value[], uniform const float x[], uniform float y[])
{
    foreach (r = 0 ... n) {
        float sum = 0.0f;
        for (uniform int k = 0; k < width; k++)
            sum += value[k * n + r] * x[(int)col[k * n + r]];
        y[r] = sum;
    }
}
