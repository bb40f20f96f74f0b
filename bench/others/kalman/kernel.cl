constant float motion[16] = {
    1.0f, 0.0f, 0.1f, 0.0f,
    0.0f, 1.0f, 0.0f, 0.1f,
    0.0f, 0.0f, 1.0f, 0.0f,
    0.0f, 0.0f, 0.0f, 1.0f};

kernel void kalman(uint n, global const float *restrict seen, global float *restrict state)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float s[4], p[16], t[16], u[4];
    for (int k = 0; k < 16; k++)
        p[k] = k % 5 == 0 ? 1.0f : 0.0f;
    for (int k = 0; k < 4; k++)
        s[k] = 0;
    for (int time = 0; time < 16; time++) {
        for (int r = 0; r < 4; r++) {
            float sum = 0;
            for (int k = 0; k < 4; k++)
                sum += motion[r * 4 + k] * s[k];
            u[r] = sum;
        }
        for (int r = 0; r < 4; r++)
            s[r] = u[r];
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                float sum = 0;
                for (int k = 0; k < 4; k++)
                    sum += motion[r * 4 + k] * p[k * 4 + c];
                t[r * 4 + c] = sum;
            }
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                float sum = r == c ? 0.01f : 0.0f;
                for (int k = 0; k < 4; k++)
                    sum += t[r * 4 + k] * motion[c * 4 + k];
                p[r * 4 + c] = sum;
            }
        for (int m = 0; m < 2; m++) {
            float error = seen[(time * 2 + m) * n + i] - s[m];
            float scale = 1 / (p[m * 5] + 0.25f);
            for (int k = 0; k < 4; k++)
                u[k] = p[m * 4 + k];
            for (int r = 0; r < 4; r++) {
                float gain = p[r * 4 + m] * scale;
                s[r] += gain * error;
                for (int k = 0; k < 4; k++)
                    p[r * 4 + k] -= gain * u[k];
            }
        }
    }
    for (int k = 0; k < 4; k++)
        state[k * n + i] = s[k];
}
