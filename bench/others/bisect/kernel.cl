kernel void bisect(uint n, float exact, global const float *restrict value,
                   global float *restrict root)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float y = value[i], below = 0.0f, above = 4.0f, x;
    do {
        x = (below + above) * 0.5f;
        if (fma(x, x, 1.0f) * x < y)
            below = x;
        else
            above = x;
    } while (above - below > above * exact);
    root[i] = x;
}
