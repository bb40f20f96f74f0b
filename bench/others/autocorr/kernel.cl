kernel void autocorr(uint lags, uint frames, uint size, uint hop, global const float *restrict x,
                     global const float *restrict window, global float *restrict y)
{
    uint lag = get_global_id(0), frame = get_global_id(1), first = frame * hop;
    if (lag >= lags || frame >= frames)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < size - lag; i++)
        sum += (x[first + i] * window[i]) * (x[first + i + lag] * window[i + lag]);
    y[frame * lags + lag] = sum;
}
