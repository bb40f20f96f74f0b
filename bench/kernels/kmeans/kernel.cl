kernel void kmeans(uint n, uint dims, uint k, global const float *restrict feat,
                   global const float *restrict cent, global int *restrict label)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float least = INFINITY;
    int nearest = 0;
    for (uint c = 0; c < k; c++) {
        float distance = 0.0f;
        for (uint j = 0; j < dims; j++) {
            float apart = feat[(size_t)j * n + i] - cent[c * dims + j];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    label[i] = nearest;
}
