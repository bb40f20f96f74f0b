kernel void mat3(uint n, global const float *restrict a, global const float *restrict b,
                 global float *restrict c)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            float sum = 0.0f;
            for (int k = 0; k < 3; k++)
                sum += a[i * 9 + row * 3 + k] * b[k * 3 + column];
            c[i * 9 + row * 3 + column] = sum;
        }
    }
}
