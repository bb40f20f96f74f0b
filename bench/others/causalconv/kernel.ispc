#define TAPS 4

export void causalconv(uniform int channels, uniform int times, uniform const float x[],
                       uniform const float taps[], uniform const float bias[], uniform float y[])
{
    for (uniform int t = 0; t < times; t++) {
        foreach (c = 0 ... channels) {
            float sum = bias[c];
            for (uniform int k = 0; k < TAPS; k++) {
                uniform int from = t + k - (TAPS - 1);
                if (from >= 0)
                    sum += x[from * channels + c] * taps[c * TAPS + k];
            }
            y[t * channels + c] = sum / (1.0f + exp(-sum));
        }
    }
}
