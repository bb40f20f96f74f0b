export void jacobi(uniform int wide, uniform int high, uniform const float a[], uniform float b[])
{
    for (uniform int y = 1; y < high - 1; y++)
        foreach (x = 1 ... wide - 1) {
            int i = y * wide + x;
            b[i] = 0.2f * (a[i] + a[i - 1] + a[i + 1] + a[i + wide] + a[i - wide]);
        }
}
