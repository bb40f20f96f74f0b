kernel void gelu(uint n, global const float *restrict x, global float *restrict y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float v = x[i], u = 0.79788456f * (v + 0.044715f * v * v * v);
    float tangent = 1.0f - 2.0f / (exp(2.0f * u) + 1.0f);
    y[i] = 0.5f * v * (1.0f + tangent);
}
