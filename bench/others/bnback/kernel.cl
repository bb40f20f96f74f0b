kernel void bnsums(uint rows, uint channels, global const float *restrict x,
                   global const float *restrict dy, global const float *restrict mean,
                   global const float *restrict factor, global float *restrict dscale,
                   global float *restrict dshift)
{
    uint c = get_global_id(0);
    if (c >= channels)
        return;
    float m = mean[c], f = factor[c], product = 0.0f, sum = 0.0f;
    for (uint row = 0; row < rows; row++) {
        float v = (x[row * channels + c] - m) * f, d = dy[row * channels + c];
        product += v * d;
        sum += d;
    }
    dscale[c] = product;
    dshift[c] = sum;
}

kernel void bninput(uint rows, uint channels, global const float *restrict x,
                    global const float *restrict dy, global const float *restrict mean,
                    global const float *restrict factor, global const float *restrict scale,
                    global const float *restrict dscale, global const float *restrict dshift,
                    global float *restrict dx)
{
    uint c = get_global_id(0), row = get_global_id(1), i = row * channels + c;
    if (c >= channels || row >= rows)
        return;
    float v = (x[i] - mean[c]) * factor[c];
    dx[i] = (dy[i] * rows - dshift[c] - v * dscale[c]) * (scale[c] * factor[c] / rows);
}
