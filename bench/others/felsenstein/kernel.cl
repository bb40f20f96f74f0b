#define LEAVES 8
#define NODES 15

kernel void felsenstein(uint n, global const uint *restrict child,
                        global const float *restrict change, global const uchar *restrict state,
                        global float *restrict likelihood)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float partial[NODES][4];
    for (uint leaf = 0; leaf < LEAVES; leaf++)
        for (uint s = 0; s < 4; s++)
            partial[leaf][s] = state[leaf * n + i] == s ? 1.0f : 0.0f;
    for (uint node = LEAVES; node < NODES; node++) {
        uint l = child[2 * (node - LEAVES)], r = child[2 * (node - LEAVES) + 1];
        for (uint s = 0; s < 4; s++) {
            float left = 0.0f, right = 0.0f;
            for (uint t = 0; t < 4; t++) {
                left += change[16 * l + 4 * s + t] * partial[l][t];
                right += change[16 * r + 4 * s + t] * partial[r][t];
            }
            partial[node][s] = left * right;
        }
    }
    float sum = 0.0f;
    for (uint s = 0; s < 4; s++)
        sum += partial[NODES - 1][s];
    likelihood[i] = log2(0.25f * sum);
}
