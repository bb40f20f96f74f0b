kernel void norm(uint lone, uint rows, uint columns, uint k, global const float *restrict a,
                 global float *restrict r)
{
    uint i = get_global_id(0);
    if (i >= lone)
        return;
    float sum = 0.0f;
    for (uint j = 0; j < rows; j++)
        sum += a[j * columns + k] * a[j * columns + k];
    r[k * columns + k] = sqrt(sum);
}

kernel void scaled(uint rows, uint columns, uint k, global const float *restrict a,
                   global const float *restrict r, global float *restrict q)
{
    uint i = get_global_id(0);
    if (i >= rows)
        return;
    q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

kernel void others(uint rows, uint columns, uint k, global float *restrict a,
                   global float *restrict r, global const float *restrict q)
{
    uint j = get_global_id(0);
    if (j >= columns)
        return;
    if (j > k) {
        float sum = 0.0f;
        for (uint i = 0; i < rows; i++)
            sum += q[i * columns + k] * a[i * columns + j];
        r[k * columns + j] = sum;
        for (uint i = 0; i < rows; i++)
            a[i * columns + j] -= q[i * columns + k] * sum;
    }
}
