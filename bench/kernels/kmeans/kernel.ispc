export void kmeans(uniform int n, uniform int dims, uniform int k,
                   uniform const float feat[], uniform const float cent[], uniform int32 label[])
{
    foreach (i = 0 ... n) {
        float least = 3.4e38f;
        int nearest = 0;
        for (uniform int c = 0; c < k; c++) {
            float distance = 0.0f;
            for (uniform int j = 0; j < dims; j++) {
                float apart = feat[j * n + i] - cent[c * dims + j];
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
