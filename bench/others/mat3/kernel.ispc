export void mat3(uniform int n, uniform const float a[], uniform const float b[],
                 uniform float c[])
{
    foreach (i = 0 ... n) {
        for (uniform int row = 0; row < 3; row++) {
            for (uniform int column = 0; column < 3; column++) {
                float sum = 0.0f;
                for (uniform int k = 0; k < 3; k++)
                    sum += a[i * 9 + row * 3 + k] * b[k * 3 + column];
                c[i * 9 + row * 3 + column] = sum;
            }
        }
    }
}
