kernel void sobol(uint n, uint dimensions, global const uint *restrict direction,
                  global float *restrict points)
{
    int i = get_global_id(0);
    int d = get_global_id(1);
    if (i >= n || d >= dimensions)
        return;
    uint gray = i ^ (i >> 1), x = 0;
    for (int k = 0; gray != 0; k++) {
        if (gray & 1)
            x ^= direction[d * 32 + k];
        gray >>= 1;
    }
    points[d * n + i] = x * 2.3283064365386963e-10f;
}
