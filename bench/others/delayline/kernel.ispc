static const uniform float taps[16] = {
    0.080000f, 0.119769f, 0.232200f, 0.397852f, 0.588083f, 0.770000f, 0.912148f, 0.989948f,
    0.989948f, 0.912148f, 0.770000f, 0.588083f, 0.397852f, 0.232200f, 0.119769f, 0.080000f};

export void delayline(uniform int n, uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        float line[16];
        for (uniform int k = 0; k < 16; k++)
            line[k] = 0;
        for (uniform int t = 0; t < 64; t++) {
            for (uniform int k = 15; k > 0; k--)
                line[k] = line[k - 1];
            line[0] = x[t * n + i];
            float sum = 0;
            for (uniform int k = 0; k < 16; k++)
                sum += taps[k] * line[k];
            y[t * n + i] = sum;
        }
    }
}
