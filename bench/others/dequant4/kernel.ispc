export void dequant4(uniform int words, uniform const uint32 packed[],
                     uniform const float scale[], uniform const float zero[], uniform float y[])
{
    foreach (i = 0 ... words) {
        uint32 word = packed[i];
        float s = scale[i / 4], z = zero[i / 4];
        for (uniform int k = 0; k < 8; k++)
            y[8 * i + k] = ((float)((word >> (4 * k)) & 15) - z) * s;
    }
}
