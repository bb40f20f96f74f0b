kernel void fan1(uint n, uint t, uint rows, global const float *restrict a,
                 global float *restrict m)
{
    uint i = get_global_id(0);
    if (i >= rows)
        return;
    uint row = i + t + 1;
    m[row * n + t] = a[row * n + t] / a[t * n + t];
}

kernel void fan2(uint n, uint t, uint columns, uint rows, global const float *restrict m,
                 global float *restrict a, global float *restrict b)
{
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= columns || y >= rows)
        return;
    uint row = y + t + 1, column = x + t;
    float factor = m[row * n + t];
    a[row * n + column] = a[row * n + column] - factor * a[t * n + column];
    if (x == 0)
        b[row] = b[row] - factor * b[t];
}
