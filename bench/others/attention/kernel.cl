#define WIDTH 8

kernel void attention(uint n, float scale, global const float *restrict q,
                      global const float *restrict k, global const float *restrict v,
                      global float *restrict out)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float query[WIDTH], sum[WIDTH];
    for (int d = 0; d < WIDTH; d++) {
        query[d] = q[i * WIDTH + d] * scale;
        sum[d] = 0.0f;
    }
    float most = -1e30f, total = 0.0f;
    for (uint j = 0; j < n; j++) {
        float score = 0.0f;
        for (int d = 0; d < WIDTH; d++)
            score += query[d] * k[j * WIDTH + d];
        float larger = fmax(most, score);
        float shrink = exp(most - larger), weight = exp(score - larger);
        total = total * shrink + weight;
        for (int d = 0; d < WIDTH; d++)
            sum[d] = sum[d] * shrink + weight * v[j * WIDTH + d];
        most = larger;
    }
    for (int d = 0; d < WIDTH; d++)
        out[i * WIDTH + d] = sum[d] / total;
}
