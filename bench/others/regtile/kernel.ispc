/* Four rows at a time; no tile is needed. */
export void regtile(uniform int n, uniform const float a[], uniform const float b[],
                    uniform float c[])
{
    for (uniform int row = 0; row < n; row += 4)
        foreach (column = 0 ... n) {
            float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
            for (uniform int k = 0; k < n; k++) {
                float right = b[k * n + column];
                sum0 += a[row * n + k] * right;
                sum1 += a[(row + 1) * n + k] * right;
                sum2 += a[(row + 2) * n + k] * right;
                sum3 += a[(row + 3) * n + k] * right;
            }
            c[row * n + column] = sum0;
            c[(row + 1) * n + column] = sum1;
            c[(row + 2) * n + column] = sum2;
            c[(row + 3) * n + column] = sum3;
        }
}
