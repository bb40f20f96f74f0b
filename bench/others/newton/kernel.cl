kernel void newton(uint n, global const float *restrict coefficients, global float *restrict root)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float p[8], q[7];
    for (int k = 0; k < 8; k++)
        p[k] = coefficients[k * n + i];
    for (int k = 1; k < 8; k++)
        q[k - 1] = p[k] * k;
    float x = 1;
    for (int step = 0; step < 20; step++) {
        float f = p[7], slope = q[6];
        for (int k = 6; k >= 0; k--)
            f = f * x + p[k];
        for (int k = 5; k >= 0; k--)
            slope = slope * x + q[k];
        x -= f / slope;
    }
    root[i] = x;
}
