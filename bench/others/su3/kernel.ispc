export void su3(uniform int n, uniform const double a[], uniform const double b[],
                uniform double c[])
{
    foreach (i = 0 ... n) {
        for (uniform int way = 0; way < 4; way++) {
            for (uniform int row = 0; row < 3; row++) {
                for (uniform int column = 0; column < 3; column++) {
                    double real = 0.0d, imaginary = 0.0d;
                    for (uniform int k = 0; k < 3; k++) {
                        int p = ((i * 4 + way) * 9 + row * 3 + k) * 2;
                        uniform int q = (way * 9 + k * 3 + column) * 2;
                        real += a[p] * b[q] - a[p + 1] * b[q + 1];
                        imaginary += a[p] * b[q + 1] + a[p + 1] * b[q];
                    }
                    int r = ((i * 4 + way) * 9 + row * 3 + column) * 2;
                    c[r] = real;
                    c[r + 1] = imaginary;
                }
            }
        }
    }
}
