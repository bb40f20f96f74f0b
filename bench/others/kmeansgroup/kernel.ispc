#define CENTROIDS 32
#define FEATURES 8

export void kmeansgroup(uniform int n, uniform const float centroid[], uniform const float x[],
                        uniform int label[])
{
    foreach (i = 0 ... n) {
        float least = 1e30f;
        int nearest = 0;
        for (uniform int c = 0; c < CENTROIDS; c++) {
            float distance = 0.0f;
            for (uniform int f = 0; f < FEATURES; f++) {
                float apart = x[f * n + i] - centroid[c * FEATURES + f];
                distance += apart * apart;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        label[i] = nearest;
    }
}
