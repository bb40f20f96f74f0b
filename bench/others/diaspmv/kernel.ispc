export void diaspmv(uniform int n, uniform int diagonals, uniform const int offsets[],
                    uniform const double values[], uniform const double x[], uniform double y[])
{
    foreach (i = 0 ... n) {
        double sum = 0.0d;
        for (uniform int k = 0; k < diagonals; k++) {
            int at = i + offsets[k];
            if (at >= 0 && at < n)
                sum += values[k * n + i] * x[at];
        }
        y[i] = sum;
    }
}
