#define TAPS 4

kernel void causalconv(uint channels, uint times, global const float *restrict x,
                       global const float *restrict taps, global const float *restrict bias,
                       global float *restrict y)
{
    uint c = get_global_id(0);
    int t = get_global_id(1);
    if (c >= channels || t >= (int)times)
        return;
    float sum = bias[c];
    for (int k = 0; k < TAPS; k++) {
        int from = t + k - (TAPS - 1);
        if (from >= 0)
            sum += x[from * channels + c] * taps[c * TAPS + k];
    }
    y[t * channels + c] = sum / (1.0f + exp(-sum));
}
