kernel void interpolate(uint n, uint knots, global const float *restrict x,
                        global const float *restrict y, global const float *restrict at,
                        global float *restrict value)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float a = at[i];
    uint low = 0, high = knots - 1;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (x[middle] <= a)
            low = middle;
        else
            high = middle;
    }
    value[i] = y[low] + (a - x[low]) / (x[low + 1] - x[low]) * (y[low + 1] - y[low]);
}
