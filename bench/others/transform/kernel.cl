kernel void transform(uint n, global const float *restrict matrix,
                      global const float *restrict point, global float *restrict moved)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    for (int r = 0; r < 4; r++) {
        float sum = 0.0f;
        for (int c = 0; c < 4; c++)
            sum += matrix[i * 16 + r * 4 + c] * point[i * 4 + c];
        moved[i * 4 + r] = sum;
    }
}
