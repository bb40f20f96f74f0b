export void gelu(uniform int n, uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        float v = x[i];
        float u = 0.79788456f * (v + 0.044715f * v * v * v);
        float tangent = 1.0f - 2.0f / (exp(2.0f * u) + 1.0f);
        y[i] = 0.5f * v * (1.0f + tangent);
    }
}
