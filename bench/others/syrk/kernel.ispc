export void syrk(uniform int rows, uniform int depth, uniform float alpha, uniform float beta,
                 uniform const float a[], uniform float c[])
{
    for (uniform int i = 0; i < rows; i++) {
        foreach (j = 0 ... rows) {
            float sum = beta * c[i * rows + j];
            for (uniform int k = 0; k < depth; k++)
                sum += alpha * a[i * depth + k] * a[j * depth + k];
            c[i * rows + j] = sum;
        }
    }
}
