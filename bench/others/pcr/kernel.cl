#define N 256

kernel void pcr(uint systems, global const float *restrict lower, global const float *restrict middle,
                global const float *restrict upper, global const float *restrict right,
                global float *restrict x)
{
    local float a[N], b[N], c[N], d[N];
    uint l = get_local_id(0), i = get_global_id(0);
    a[l] = lower[i];
    b[l] = middle[i];
    c[l] = upper[i];
    d[l] = right[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < N; step *= 2) {
        float na = 0, nb = b[l], nc = 0, nd = d[l];
        if (l >= step) {
            float k = a[l] / b[l - step];
            na = -a[l - step] * k;
            nb -= c[l - step] * k;
            nd -= d[l - step] * k;
        }
        if (l + step < N) {
            float k = c[l] / b[l + step];
            nc = -c[l + step] * k;
            nb -= a[l + step] * k;
            nd -= d[l + step] * k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] = na;
        b[l] = nb;
        c[l] = nc;
        d[l] = nd;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[i] = d[l] / b[l];
}
