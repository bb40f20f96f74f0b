export void ssim(uniform int width, uniform int height, uniform const float a[],
                 uniform const float b[], uniform float similar[])
{
    uniform int row = width + 6;
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            float sa = 0.0f, sb = 0.0f, saa = 0.0f, sbb = 0.0f, sab = 0.0f;
            for (uniform int j = 0; j < 7; j++)
                for (uniform int i = 0; i < 7; i++) {
                    float p = a[(y + j) * row + x + i], q = b[(y + j) * row + x + i];
                    sa += p;
                    sb += q;
                    saa += p * p;
                    sbb += q * q;
                    sab += p * q;
                }
            float ma = sa * (1.0f / 49.0f), mb = sb * (1.0f / 49.0f);
            float va = saa * (1.0f / 49.0f) - ma * ma, vb = sbb * (1.0f / 49.0f) - mb * mb;
            float cov = sab * (1.0f / 49.0f) - ma * mb;
            similar[y * width + x] = (2.0f * ma * mb + 1e-4f) * (2.0f * cov + 9e-4f)
                / ((ma * ma + mb * mb + 1e-4f) * (va + vb + 9e-4f));
        }
    }
}
