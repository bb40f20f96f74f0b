kernel void rowsums(uint n, uint length, global const float *restrict a,
                    global float *restrict sums)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float sum = 0.0f;
    for (uint j = 0; j < length; j++)
        sum += a[i * length + j];
    sums[i] = sum;
}
