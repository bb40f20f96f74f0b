export void audio(uniform int n, uniform float left, uniform float right, uniform const int16 a[],
                  uniform const int16 b[], uniform int16 mixed[])
{
    foreach (i = 0 ... n)
        mixed[i] = (int16)(int)clamp(round((float)a[i] * left + (float)b[i] * right),
                                     -32768.0f, 32767.0f);
}
