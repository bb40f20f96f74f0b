kernel void gramschmidt(uint n, global float *restrict a, global float *restrict r)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float q[16];
    for (int k = 0; k < 16; k++)
        q[k] = a[k * n + i];
    for (int j = 0; j < 4; j++) {
        float square = 0;
        for (int k = 0; k < 4; k++)
            square += q[k * 4 + j] * q[k * 4 + j];
        float length = sqrt(square);
        r[(j * 4 + j) * n + i] = length;
        for (int k = 0; k < 4; k++)
            q[k * 4 + j] /= length;
        for (int c = j + 1; c < 4; c++) {
            float dot = 0;
            for (int k = 0; k < 4; k++)
                dot += q[k * 4 + j] * q[k * 4 + c];
            r[(j * 4 + c) * n + i] = dot;
            for (int k = 0; k < 4; k++)
                q[k * 4 + c] -= dot * q[k * 4 + j];
        }
    }
    for (int k = 0; k < 16; k++)
        a[k * n + i] = q[k];
}
