export void fan1(uniform int n, uniform int t, uniform int rows, uniform const float a[],
                 uniform float m[])
{
    foreach (i = 0 ... rows) {
        int row = i + t + 1;
        m[row * n + t] = a[row * n + t] / a[t * n + t];
    }
}

export void fan2(uniform int n, uniform int t, uniform int columns, uniform int rows,
                 uniform const float m[], uniform float a[], uniform float b[])
{
    foreach (y = 0 ... rows, x = 0 ... columns) {
        int row = y + t + 1, column = x + t;
        float factor = m[row * n + t];
        a[row * n + column] = a[row * n + column] - factor * a[t * n + column];
        if (x == 0)
            b[row] = b[row] - factor * b[t];
    }
}
