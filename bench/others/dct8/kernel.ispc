/* A workgroup's work-items are a foreach; a barrier is its end. */
export void dct8(uniform int width, uniform int height, uniform const float basis[],
                 uniform const float x[], uniform float y[])
{
    for (uniform int top = 0; top < height; top += 8)
        for (uniform int left = 0; left < width; left += 8) {
            uniform float half_done[8][8];
            foreach (ly = 0 ... 8, lx = 0 ... 8) {
                float sum = 0.0f;
                for (uniform int k = 0; k < 8; k++)
                    sum += basis[ly * 8 + k] * x[(top + k) * width + left + lx];
                half_done[ly][lx] = sum;
            }
            foreach (ly = 0 ... 8, lx = 0 ... 8) {
                float sum = 0.0f;
                for (uniform int k = 0; k < 8; k++)
                    sum += half_done[ly][k] * basis[lx * 8 + k];
                y[(top + ly) * width + left + lx] = sum;
            }
        }
}
