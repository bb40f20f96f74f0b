#define BINS 20

kernel void tpacf(uint n, global const float *restrict edges, global const float *restrict x,
                  global const float *restrict y, global const float *restrict z,
                  global uint *restrict bins)
{
    local float edge[BINS];
    local uint part[BINS];
    uint l = get_local_id(0), i = get_global_id(0);
    if (l < BINS) {
        edge[l] = edges[l];
        part[l] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        float px = x[i], py = y[i], pz = z[i];
        for (uint j = 0; j < i; j++) {
            float cosine = px * x[j] + py * y[j] + pz * z[j];
            uint low = 0, high = BINS;
            while (high > low + 1) {
                uint k = (low + high) / 2;
                if (cosine > edge[k])
                    high = k;
                else
                    low = k;
            }
            atomic_add(&part[low], 1u);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < BINS)
        atomic_add(&bins[l], part[l]);
}
