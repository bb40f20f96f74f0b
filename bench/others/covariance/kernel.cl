kernel void covariance(uint columns, uint rows, global const float *restrict data,
                       global float *restrict c)
{
    uint j = get_global_id(0);
    if (j >= columns)
        return;
    for (uint k = j; k < columns; k++) {
        float sum = 0.0f;
        for (uint i = 0; i < rows; i++)
            sum += data[i * columns + j] * data[i * columns + k];
        sum /= (float)(rows - 1);
        c[j * columns + k] = sum;
        c[k * columns + j] = sum;
    }
}
