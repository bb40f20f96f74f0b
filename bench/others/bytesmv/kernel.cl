kernel void bytesmv(uint n, uint length, global const uchar *restrict a,
                    global const uchar *restrict x, global uint *restrict y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint sum = 0;
    for (uint j = 0; j < length; j++)
        sum += a[i * length + j] * x[j];
    y[i] = sum;
}
