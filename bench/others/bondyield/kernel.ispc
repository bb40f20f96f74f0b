export void bondyield(uniform int n, uniform const double price[], uniform const double coupon[],
                      uniform const uint32 periods[], uniform double rate[])
{
    foreach (i = 0 ... n) {
        double low = 0.0d, high = 1.0d, c = coupon[i], right = price[i];
        uint32 last = periods[i];
        for (uniform int k = 0; k < 30; k++) {
            double middle = (low + high) * 0.5d;
            double factor = 1.0d / (1.0d + middle);
            double value = 100.0d;
            for (uint32 p = 0; p < last; p++)
                value = (value + c) * factor;
            if (value > right)
                low = middle;
            else
                high = middle;
        }
        rate[i] = (low + high) * 0.5d;
    }
}
