kernel void syrk(uint rows, uint depth, float alpha, float beta, global const float *restrict a,
                 global float *restrict c)
{
    uint j = get_global_id(0), i = get_global_id(1);
    if (j >= rows || i >= rows)
        return;
    float sum = beta * c[i * rows + j];
    for (uint k = 0; k < depth; k++)
        sum += alpha * a[i * depth + k] * a[j * depth + k];
    c[i * rows + j] = sum;
}
