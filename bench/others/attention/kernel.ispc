#define WIDTH 8

export void attention(uniform int n, uniform float scale, uniform const float q[],
                      uniform const float k[], uniform const float v[], uniform float out[])
{
    foreach (i = 0 ... n) {
        float query[WIDTH], sum[WIDTH];
        for (uniform int d = 0; d < WIDTH; d++) {
            query[d] = q[i * WIDTH + d] * scale;
            sum[d] = 0.0f;
        }
        float most = -1e30f, total = 0.0f;
        for (uniform int j = 0; j < n; j++) {
            float score = 0.0f;
            for (uniform int d = 0; d < WIDTH; d++)
                score += query[d] * k[j * WIDTH + d];
            float larger = max(most, score);
            float shrink = exp(most - larger), weight = exp(score - larger);
            total = total * shrink + weight;
            for (uniform int d = 0; d < WIDTH; d++)
                sum[d] = sum[d] * shrink + weight * v[j * WIDTH + d];
            most = larger;
        }
        for (uniform int d = 0; d < WIDTH; d++)
            out[i * WIDTH + d] = sum[d] / total;
    }
}
