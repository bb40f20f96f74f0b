export void rowsums(uniform int n, uniform int length, uniform const float a[],
                    uniform float sums[])
{
    foreach (i = 0 ... n) {
        float sum = 0.0f;
        for (uniform int j = 0; j < length; j++)
            sum += a[i * length + j];
        sums[i] = sum;
    }
}
