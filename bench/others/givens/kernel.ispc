#define SIDE 6

export void givens(uniform int n, uniform double a[])
{
    foreach (i = 0 ... n) {
        double m[SIDE * SIDE];
        for (uniform int k = 0; k < SIDE * SIDE; k++)
            m[k] = a[k * n + i];
        for (uniform int column = 0; column < SIDE; column++) {
            for (uniform int row = column + 1; row < SIDE; row++) {
                double x = m[column * SIDE + column], y = m[row * SIDE + column];
                double size = sqrt(x * x + y * y);
                double c = x / size, s = y / size;
                for (uniform int k = 0; k < SIDE; k++) {
                    double top = m[column * SIDE + k], low = m[row * SIDE + k];
                    m[column * SIDE + k] = c * top + s * low;
                    m[row * SIDE + k] = c * low - s * top;
                }
            }
        }
        for (uniform int k = 0; k < SIDE * SIDE; k++)
            a[k * n + i] = m[k];
    }
}
