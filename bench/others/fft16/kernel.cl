constant float cosine[8] = {1.0f, 0.923879533f, 0.707106781f, 0.382683432f, 0.0f, -0.382683432f, -0.707106781f, -0.923879533f};
constant float sine[8] = {0.0f, -0.382683432f, -0.707106781f, -0.923879533f, -1.0f, -0.923879533f, -0.707106781f, -0.382683432f};

kernel void fft16(uint n, global const float *restrict re, global const float *restrict im,
                  global float *restrict to_re, global float *restrict to_im)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float x[16], y[16];
    for (int k = 0; k < 16; k++) {
        uint j = (k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | (k & 8) >> 3;
        x[j] = re[k * n + i];
        y[j] = im[k * n + i];
    }
    for (int stage = 0; stage < 4; stage++)
        for (int k = 0; k < 8; k++) {
            int span = 1 << stage;
            int j = k & (span - 1);
            int a = (k - j) * 2 + j;
            int b = a + span;
            float c = cosine[j << (3 - stage)], w = sine[j << (3 - stage)];
            float p = x[b] * c - y[b] * w, q = x[b] * w + y[b] * c;
            x[b] = x[a] - p;
            y[b] = y[a] - q;
            x[a] = x[a] + p;
            y[a] = y[a] + q;
        }
    for (int k = 0; k < 16; k++) {
        to_re[k * n + i] = x[k];
        to_im[k * n + i] = y[k];
    }
}
