export void autocorr(uniform int lags, uniform int frames, uniform int size, uniform int hop,
                     uniform const float x[], uniform const float window[], uniform float y[])
{
    for (uniform int frame = 0; frame < frames; frame++) {
        uniform int first = frame * hop;
        foreach (lag = 0 ... lags) {
            float sum = 0.0f;
            for (int i = 0; i < size - lag; i++)
                sum += (x[first + i] * window[i]) * (x[first + i + lag] * window[i + lag]);
            y[frame * lags + lag] = sum;
        }
    }
}
