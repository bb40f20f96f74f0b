export void quadrature(uniform int n, uniform double tolerance, uniform const double a[],
                       uniform double integral[])
{
    foreach (i = 0 ... n) {
        double low[24], high[24];
        double p = a[i], sum = 0;
        int level = 1;
        low[0] = 0;
        high[0] = 4;
        while (level > 0) {
            level--;
            double l = low[level], h = high[level];
            double m = (l + h) * 0.5, w = (h - l) * 0.5;
            double fl = 1 / (p + l * l), fm = 1 / (p + m * m), fh = 1 / (p + h * h);
            double coarse = (fl + fh) * w, fine = (fl + 2 * fm + fh) * w * 0.5;
            if (abs(fine - coarse) < tolerance || level > 21) {
                sum += fine;
            } else {
                low[level] = l;
                high[level] = m;
                low[level + 1] = m;
                high[level + 1] = h;
                level += 2;
            }
        }
        integral[i] = sum;
    }
}
