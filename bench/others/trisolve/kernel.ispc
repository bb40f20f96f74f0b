export void trisolve(uniform int order, uniform int n, uniform const double lower[],
                     uniform double x[])
{
    foreach (i = 0 ... n) {
        for (uniform int row = 0; row < order; row++) {
            double sum = x[row * n + i];
            for (uniform int k = 0; k < row; k++)
                sum -= lower[row * order + k] * x[k * n + i];
            x[row * n + i] = sum / lower[row * order + row];
        }
    }
}
