#define CENTROIDS 32
#define FEATURES 8

kernel void kmeansgroup(uint n, global const float *restrict centroid,
                        global const float *restrict x, global int *restrict label)
{
    local float middle[CENTROIDS * FEATURES];
    uint l = get_local_id(0), i = get_global_id(0);
    middle[l] = centroid[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float least = INFINITY;
    int nearest = 0;
    for (uint c = 0; c < CENTROIDS; c++) {
        float distance = 0.0f;
        for (uint f = 0; f < FEATURES; f++) {
            float apart = x[f * n + i] - middle[c * FEATURES + f];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    label[i] = nearest;
}
