kernel void softmax(uint rows, uint columns, global const float *restrict x,
                    global float *restrict y)
{
    uint c = get_global_id(0);
    if (c >= columns)
        return;
    float largest = -INFINITY, sum = 0.0f;
    for (uint r = 0; r < rows; r++)
        largest = fmax(largest, x[r * columns + c]);
    for (uint r = 0; r < rows; r++) {
        float power = exp(x[r * columns + c] - largest);
        sum += power;
        y[r * columns + c] = power;
    }
    for (uint r = 0; r < rows; r++)
        y[r * columns + c] /= sum;
}
