kernel void dequant4(uint words, global const uint *restrict packed,
                     global const float *restrict scale, global const float *restrict zero,
                     global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= words)
        return;
    uint word = packed[i];
    float s = scale[i / 4], z = zero[i / 4];
    for (uint k = 0; k < 8; k++)
        y[8 * i + k] = ((float)(word >> 4 * k & 15) - z) * s;
}
