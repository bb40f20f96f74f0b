export void particle(uniform int n, uniform int size, uniform int count, uniform const int image[],
                     uniform const int dx[], uniform const int dy[], uniform const float px[],
                     uniform const float py[], uniform float likelihood[])
{
    foreach (i = 0 ... n) {
        int x = (int)(px[i] + 0.5f), y = (int)(py[i] + 0.5f);
        float sum = 0.0f;
        for (uniform int k = 0; k < count; k++) {
            int at = abs((y + dy[k]) * size + x + dx[k]);
            if (at >= size * size)
                at = 0;
            float a = (float)image[at] - 100.0f, b = (float)image[at] - 228.0f;
            sum += (a * a - b * b) / 50.0f;
        }
        likelihood[i] = sum / (float)count;
    }
}
