#define BINS 20

kernel void tpacf(uint n, global const float *restrict x, global const float *restrict y,
                  global const float *restrict z, global const float *restrict edge,
                  global uint *restrict count)
{
    local uint bins[BINS + 1];
    uint l = get_local_id(0), i = get_global_id(0);
    if (l <= BINS)
        bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        float xi = x[i], yi = y[i], zi = z[i];
        for (uint j = 0; j < i; j++) {
            float dot = xi * x[j] + yi * y[j] + zi * z[j];
            uint low = 0, high = BINS;
            while (low < high) {
                uint middle = (low + high) / 2;
                if (dot >= edge[middle])
                    high = middle;
                else
                    low = middle + 1;
            }
            atomic_add(&bins[low], 1);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l <= BINS)
        atomic_add(&count[l], bins[l]);
}
