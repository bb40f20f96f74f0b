export void brandes(uniform int n, uniform uint32 now, uniform const uint32 row[],
                    uniform const uint32 col[], uniform const uint32 level[],
                    uniform const float paths[], uniform float delta[])
{
    foreach (v = 0 ... n) {
        if (level[v] == now) {
            float sum = 0.0f;
            for (int e = row[v]; e < row[v + 1]; e++) {
                int w = col[e];
                if (level[w] == now + 1)
                    sum += paths[v] / paths[w] * (1.0f + delta[w]);
            }
            delta[v] = sum;
        }
    }
}
