export void stress6(uniform int n, uniform const double stiffness[], uniform const double strain[],
                    uniform double stress[])
{
    foreach (i = 0 ... n) {
        for (uniform int r = 0; r < 6; r++) {
            double sum = 0.0d;
            for (uniform int k = 0; k < 6; k++)
                sum += stiffness[r * 6 + k] * strain[i * 6 + k];
            stress[i * 6 + r] = sum;
        }
    }
}
