kernel void perceptron(uint n, uint m, global const float *restrict w, global const float *restrict x, global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint o = 0; o < m; o++) {
        float sum = 0.0f;
        for (uint k = 0; k < 4; k++)
            sum += w[o * 4 + k] * x[i * 4 + k];
        y[i * m + o] = sum;
    }
}
