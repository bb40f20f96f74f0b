kernel void bias(uint w, uint h, float a, global const float *restrict x,
                 global const float *restrict b, global float *restrict y)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= w || row >= h)
        return;
    uint i = row * w + column;
    y[i] = fmax(a * x[i] + b[column], 0.0f);
}
