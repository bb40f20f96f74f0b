export void qgemm(uniform int n, uniform int k, uniform const int8 a[], uniform const int8 b[],
                  uniform int c[])
{
    for (uniform int row = 0; row < n; row++)
        foreach (column = 0 ... n) {
            int sum = 0;
            for (uniform int i = 0; i < k; i++)
                sum += (int)a[row * k + i] * b[i * n + column];
            c[row * n + column] = sum;
        }
}
