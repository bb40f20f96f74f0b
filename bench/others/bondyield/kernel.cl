kernel void bondyield(uint n, global const double *restrict price,
                      global const double *restrict coupon, global const uint *restrict periods,
                      global double *restrict rate)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double low = 0.0, high = 1.0, c = coupon[i], right = price[i];
    uint last = periods[i];
    for (int k = 0; k < 30; k++) {
        double middle = (low + high) * 0.5, factor = 1.0 / (1.0 + middle), value = 100.0;
        for (uint p = 0; p < last; p++)
            value = (value + c) * factor;
        if (value > right)
            low = middle;
        else
            high = middle;
    }
    rate[i] = (low + high) * 0.5;
}
