static const uniform float motion[16] = {
    1.0f, 0.0f, 0.1f, 0.0f,
    0.0f, 1.0f, 0.0f, 0.1f,
    0.0f, 0.0f, 1.0f, 0.0f,
    0.0f, 0.0f, 0.0f, 1.0f};

export void kalman(uniform int n, uniform const float seen[], uniform float state[])
{
    foreach (i = 0 ... n) {
        float s[4], p[16], t[16], u[4];
        for (uniform int k = 0; k < 16; k++)
            p[k] = k % 5 == 0 ? 1.0f : 0.0f;
        for (uniform int k = 0; k < 4; k++)
            s[k] = 0;
        for (uniform int time = 0; time < 16; time++) {
            for (uniform int r = 0; r < 4; r++) {
                float sum = 0;
                for (uniform int k = 0; k < 4; k++)
                    sum += motion[r * 4 + k] * s[k];
                u[r] = sum;
            }
            for (uniform int r = 0; r < 4; r++)
                s[r] = u[r];
            for (uniform int r = 0; r < 4; r++)
                for (uniform int c = 0; c < 4; c++) {
                    float sum = 0;
                    for (uniform int k = 0; k < 4; k++)
                        sum += motion[r * 4 + k] * p[k * 4 + c];
                    t[r * 4 + c] = sum;
                }
            for (uniform int r = 0; r < 4; r++)
                for (uniform int c = 0; c < 4; c++) {
                    float sum = r == c ? 0.01f : 0.0f;
                    for (uniform int k = 0; k < 4; k++)
                        sum += t[r * 4 + k] * motion[c * 4 + k];
                    p[r * 4 + c] = sum;
                }
            for (uniform int m = 0; m < 2; m++) {
                float error = seen[(time * 2 + m) * n + i] - s[m];
                float scale = 1 / (p[m * 5] + 0.25f);
                for (uniform int k = 0; k < 4; k++)
                    u[k] = p[m * 4 + k];
                for (uniform int r = 0; r < 4; r++) {
                    float gain = p[r * 4 + m] * scale;
                    s[r] += gain * error;
                    for (uniform int k = 0; k < 4; k++)
                        p[r * 4 + k] -= gain * u[k];
                }
            }
        }
        for (uniform int k = 0; k < 4; k++)
            state[k * n + i] = s[k];
    }
}
