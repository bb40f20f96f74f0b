export void gemm(uniform int rows, uniform int columns, uniform int depth, uniform float alpha,
                 uniform float beta, uniform const float a[], uniform const float b[],
                 uniform float c[])
{
    for (uniform int i = 0; i < rows; i++) {
        foreach (j = 0 ... columns) {
            float sum = beta * c[i * columns + j];
            for (uniform int k = 0; k < depth; k++)
                sum += alpha * a[i * depth + k] * b[k * columns + j];
            c[i * columns + j] = sum;
        }
    }
}
