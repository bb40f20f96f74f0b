#define LEAVES 8
#define NODES 15

export void felsenstein(uniform int n, uniform const uint32 child[], uniform const float change[],
                        uniform const uint8 state[], uniform float likelihood[])
{
    foreach (i = 0 ... n) {
        float partial[NODES][4];
        for (uniform int leaf = 0; leaf < LEAVES; leaf++)
            for (uniform int s = 0; s < 4; s++)
                partial[leaf][s] = state[leaf * n + i] == s ? 1.0f : 0.0f;
        for (uniform int node = LEAVES; node < NODES; node++) {
            uniform int l = child[2 * (node - LEAVES)], r = child[2 * (node - LEAVES) + 1];
            for (uniform int s = 0; s < 4; s++) {
                float left = 0.0f, right = 0.0f;
                for (uniform int t = 0; t < 4; t++) {
                    left += change[16 * l + 4 * s + t] * partial[l][t];
                    right += change[16 * r + 4 * s + t] * partial[r][t];
                }
                partial[node][s] = left * right;
            }
        }
        float sum = 0.0f;
        for (uniform int s = 0; s < 4; s++)
            sum += partial[NODES - 1][s];
        likelihood[i] = log(0.25f * sum) * 1.44269504f;
    }
}
