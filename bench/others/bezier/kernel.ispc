export void bezier(uniform int n, uniform const float px[], uniform const float py[],
                   uniform const float t[], uniform float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        float u[8], v[8];
        for (uniform int k = 0; k < 8; k++) {
            u[k] = px[k * n + i];
            v[k] = py[k * n + i];
        }
        float s = t[i];
        for (uniform int last = 7; last > 0; last--)
            for (uniform int k = 0; k < last; k++) {
                u[k] = u[k] + s * (u[k + 1] - u[k]);
                v[k] = v[k] + s * (v[k + 1] - v[k]);
            }
        x[i] = u[0];
        y[i] = v[0];
    }
}
