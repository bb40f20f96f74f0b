#define N 256
#define LEVELS 7

kernel void cyclic(uint systems, global const float *restrict ga, global const float *restrict gb,
                   global const float *restrict gc, global const float *restrict gd,
                   global float *restrict gx)
{
    local float a[N], b[N], c[N], d[N], x[N];
    int tid = get_local_id(0);
    size_t first = get_group_id(0) * N + tid;
    a[tid] = ga[first];
    a[tid + N / 2] = ga[first + N / 2];
    b[tid] = gb[first];
    b[tid + N / 2] = gb[first + N / 2];
    c[tid] = gc[first];
    c[tid + N / 2] = gc[first + N / 2];
    d[tid] = gd[first];
    d[tid + N / 2] = gd[first + N / 2];
    int stride = 1, count = N / 2;
    for (int level = 0; level < LEVELS; level++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int delta = stride;
        stride *= 2;
        if (tid < count) {
            int i = stride * tid + stride - 1;
            int left = i - delta, right = min(i + delta, N - 1);
            float k1 = a[i] / b[left], k2 = c[i] / b[right];
            b[i] = b[i] - c[left] * k1 - a[right] * k2;
            d[i] = d[i] - d[left] * k1 - d[right] * k2;
            a[i] = -a[left] * k1;
            c[i] = -c[right] * k2;
        }
        count /= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < 1) {
        int one = stride - 1, two = 2 * stride - 1;
        float determinant = b[two] * b[one] - c[one] * a[two];
        x[one] = (b[two] * d[one] - c[one] * d[two]) / determinant;
        x[two] = (d[two] * b[one] - d[one] * a[two]) / determinant;
    }
    count = 2;
    for (int level = 0; level < LEVELS; level++) {
        int delta = stride / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tid < count) {
            int i = stride * tid + delta - 1;
            float right = d[i] - c[i] * x[i + delta];
            if (i >= delta)
                right -= a[i] * x[i - delta];
            x[i] = right / b[i];
        }
        stride = delta;
        count *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gx[first] = x[tid];
    gx[first + N / 2] = x[tid + N / 2];
}
