kernel void gauss(uint width, uint height, global const float *restrict weights,
                  global const float *restrict image, global float *restrict blurred)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    for (uint j = 0; j < 5; j++)
        for (uint i = 0; i < 5; i++)
            sum += weights[j * 5 + i] * image[(y + j) * (width + 4) + x + i];
    blurred[y * width + x] = sum;
}
