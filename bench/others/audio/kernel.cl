kernel void audio(uint n, float left, float right, global const short *restrict a,
                  global const short *restrict b, global short *restrict mixed)
{
    size_t i = get_global_id(0);
    if (i < n)
        mixed[i] = (short)clamp(rint((float)a[i] * left + (float)b[i] * right),
                                -32768.0f, 32767.0f);
}
