kernel void batchnorm(uint n, uint channels, global const float *x, global const float *scale,
                      global const float *shift, global float *y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint c = i % channels;
    y[i] = fmax(fma(x[i], scale[c], shift[c]), 0.0f);
}
