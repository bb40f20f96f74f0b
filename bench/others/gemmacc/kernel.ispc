export void gemmacc(uniform int n, uniform float alpha, uniform float beta,
                    uniform const float a[], uniform const float b[], uniform float c[])
{
    for (uniform int i = 0; i < n; i++)
        foreach (j = 0 ... n) {
            c[i * n + j] *= beta;
            for (uniform int k = 0; k < n; k++)
                c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
        }
}
