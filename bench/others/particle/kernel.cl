kernel void resample(uint n, global const float *restrict cdf, global const float *restrict u,
                     global const float *restrict x, global const float *restrict y,
                     global float *restrict new_x, global float *restrict new_y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint place = n - 1;
    float own = u[i];
    for (uint k = 0; k < n; k++)
        if (cdf[k] >= own) {
            place = k;
            break;
        }
    new_x[i] = x[place];
    new_y[i] = y[place];
}
