kernel void mttkrp(uint rows, uint rank, global const uint *restrict first,
                   global const uint *restrict second, global const uint *restrict third,
                   global const float *restrict value, global const float *restrict b,
                   global const float *restrict c, global float *restrict a)
{
    uint r = get_global_id(0), row = get_global_id(1);
    if (r >= rank || row >= rows)
        return;
    float sum = 0.0f;
    uint end = first[row + 1];
    for (uint k = first[row]; k < end; k++)
        sum += value[k] * b[second[k] * rank + r] * c[third[k] * rank + r];
    a[row * rank + r] = sum;
}
