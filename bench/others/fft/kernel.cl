#define HALF 256
#define SIZE 512

kernel void fft(uint n, global const float *restrict root, global float *restrict re,
                global float *restrict im)
{
    local float real[2][SIZE], imaginary[2][SIZE];
    uint l = get_local_id(0), i = get_group_id(0) * SIZE + l, from = 0;
    real[0][l] = re[i];
    real[0][l + HALF] = re[i + HALF];
    imaginary[0][l] = im[i];
    imaginary[0][l + HALF] = im[i + HALF];
    for (uint size = 1; size < SIZE; size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint k = l & (size - 1), which = HALF / size * k;
        float ar = real[from][l], ai = imaginary[from][l];
        float br = real[from][l + HALF], bi = imaginary[from][l + HALF];
        float c = root[which], s = root[which + HALF];
        float tr = br * c - bi * s, ti = br * s + bi * c;
        uint to = 2 * (l - k) + k;
        from = 1 - from;
        real[from][to] = ar + tr;
        imaginary[from][to] = ai + ti;
        real[from][to + size] = ar - tr;
        imaginary[from][to + size] = ai - ti;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    re[i] = real[from][l];
    re[i + HALF] = real[from][l + HALF];
    im[i] = imaginary[from][l];
    im[i + HALF] = imaginary[from][l + HALF];
}
