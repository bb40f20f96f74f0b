export void haar16(uniform int n, uniform float x[])
{
    foreach (i = 0 ... n) {
        float v[16], t[16];
        for (uniform int k = 0; k < 16; k++)
            v[k] = x[k * n + i];
        for (uniform int size = 8; size > 0; size /= 2) {
            for (uniform int k = 0; k < size; k++) {
                t[k] = (v[2 * k] + v[2 * k + 1]) * 0.70710678f;
                t[size + k] = (v[2 * k] - v[2 * k + 1]) * 0.70710678f;
            }
            for (uniform int k = 0; k < 2 * size; k++)
                v[k] = t[k];
        }
        for (uniform int k = 0; k < 16; k++)
            x[k * n + i] = v[k];
    }
}
