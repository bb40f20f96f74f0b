#define DIMS 64

kernel void gain(uint n, uint dims, uint candidate, uint centres, global const float *restrict weight,
                 global const uint *restrict assigned, global const float *restrict cost,
                 global const float *restrict coordinate, global const uint *restrict table,
                 global uchar *restrict switches, global float *restrict lower)
{
    local float centre[DIMS];
    uint i = get_global_id(0);
    if (get_local_id(0) == 0)
        for (uint d = 0; d < dims; d++)
            centre[d] = coordinate[d * n + candidate];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n)
        return;
    float far = 0.0f;
    for (uint d = 0; d < dims; d++) {
        float apart = coordinate[d * n + i] - centre[d];
        far += apart * apart;
    }
    far *= weight[i];
    uint row = i * (centres + 1);
    if (far < cost[i]) {
        switches[i] = 1;
        lower[row + centres] += far - cost[i];
    } else {
        lower[row + table[assigned[i]]] += cost[i] - far;
    }
}
