#define SIZE 256
#define QUARTER 64

kernel void fft4(uint n, global float *restrict re, global float *restrict im)
{
    local float real[SIZE], imaginary[SIZE];
    uint l = get_local_id(0), first = get_group_id(0) * SIZE;
    float r[4], i[4];
    for (int p = 0; p < 4; p++) {
        r[p] = re[first + l + p * QUARTER];
        i[p] = im[first + l + p * QUARTER];
    }
    for (uint size = 1; size < SIZE; size *= 4) {
        uint k = l & (size - 1), to = 4 * (l - k) + k;
        float angle = -6.283185307f / 4.0f * (float)k / (float)size;
        for (int p = 1; p < 4; p++) {
            float c = cos(angle * p), s = sin(angle * p);
            float t = r[p] * c - i[p] * s;
            i[p] = r[p] * s + i[p] * c;
            r[p] = t;
        }
        float ar = r[0] + r[2], ai = i[0] + i[2], br = r[0] - r[2], bi = i[0] - i[2];
        float cr = r[1] + r[3], ci = i[1] + i[3], dr = r[1] - r[3], di = i[1] - i[3];
        real[to] = ar + cr;
        imaginary[to] = ai + ci;
        real[to + size] = br + di;
        imaginary[to + size] = bi - dr;
        real[to + 2 * size] = ar - cr;
        imaginary[to + 2 * size] = ai - ci;
        real[to + 3 * size] = br - di;
        imaginary[to + 3 * size] = bi + dr;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < 4; p++) {
            r[p] = real[l + p * QUARTER];
            i[p] = imaginary[l + p * QUARTER];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int p = 0; p < 4; p++) {
        re[first + l + p * QUARTER] = r[p];
        im[first + l + p * QUARTER] = i[p];
    }
}
