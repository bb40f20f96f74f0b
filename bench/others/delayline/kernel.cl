constant float taps[16] = {
    0.080000f, 0.119769f, 0.232200f, 0.397852f, 0.588083f, 0.770000f, 0.912148f, 0.989948f,
    0.989948f, 0.912148f, 0.770000f, 0.588083f, 0.397852f, 0.232200f, 0.119769f, 0.080000f};

kernel void delayline(uint n, global const float *restrict x, global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float line[16];
    for (int k = 0; k < 16; k++)
        line[k] = 0;
    for (int t = 0; t < 64; t++) {
        for (int k = 15; k > 0; k--)
            line[k] = line[k - 1];
        line[0] = x[t * n + i];
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += taps[k] * line[k];
        y[t * n + i] = sum;
    }
}
