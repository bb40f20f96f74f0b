kernel void layer(uint size, uint inputs, uint outputs, global const float *restrict image,
                  global const float *restrict weights, global const float *restrict bias,
                  global float *restrict result)
{
    uint x = get_global_id(0), y = get_global_id(1), o = get_global_id(2), row = size + 2;
    if (x >= size || y >= size || o >= outputs)
        return;
    float sum = bias[o];
    for (uint c = 0; c < inputs; c++)
        for (uint j = 0; j < 3; j++)
            for (uint i = 0; i < 3; i++)
                sum += weights[((o * inputs + c) * 3 + j) * 3 + i]
                       * image[(c * row + y + j) * row + x + i];
    result[(o * size + y) * size + x] = fmax(sum, 0.0f);
}
