export void gicov(uniform int width, uniform int height, uniform const float dx[],
                  uniform const float dy[], uniform const float sines[],
                  uniform const float cosines[], uniform const int tx[], uniform const int ty[],
                  uniform float score[])
{
    foreach (y = 0 ... height, x = 0 ... width) {
        float most = 0.0f;
        for (uniform int circle = 0; circle < 4; circle++) {
            float sum = 0.0f;
            float mean = 0.0f;
            float square = 0.0f;
            for (uniform int k = 0; k < 24; k++) {
                int py = y + 8 + (int)ty[circle * 24 + k];
                int px = x + 8 + (int)tx[circle * 24 + k];
                int at = py * (width + 16) + px;
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
}
