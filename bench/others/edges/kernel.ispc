export void edges(uniform int n, uniform const uint32 edge[], uniform const float place[],
                  uniform float length[])
{
    foreach (i = 0 ... n) {
        int a = edge[2 * i], b = edge[2 * i + 1];
        float sum = 0;
        for (uniform int k = 0; k < 3; k++) {
            float d = place[a * 3 + k] - place[b * 3 + k];
            sum += d * d;
        }
        length[i] = sqrt(sum);
    }
}
