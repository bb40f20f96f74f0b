kernel void gicov(uint width, uint height, global const float *restrict dx,
                  global const float *restrict dy, global const float *restrict sines,
                  global const float *restrict cosines, global const int *restrict tx,
                  global const int *restrict ty, global float *restrict score)
{
    if (get_global_id(0) >= width || get_global_id(1) >= height)
        return;
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    float most = 0.0f;
    for (uint circle = 0; circle < 4; circle++) {
        float sum = 0.0f;
        float mean = 0.0f;
        float square = 0.0f;
        for (uint k = 0; k < 24; k++) {
            uint py = y + 8 + (uint)ty[circle * 24 + k];
            uint px = x + 8 + (uint)tx[circle * 24 + k];
            uint at = py * (width + 16) + px;
            float g = dx[at] * cosines[k] + dy[at] * sines[k];
            sum += g;
            float off = g - mean;
            mean += off / ((float)(k + 1));
            square += off * (g - mean);
        }
        float found = mean * mean / (square / 23.0f + 0.001f);
        if (found > most)
            most = found;
    }
    score[y * width + x] = most;
}
