static const uniform float cosine[8] = {1.0f, 0.923879533f, 0.707106781f, 0.382683432f, 0.0f, -0.382683432f, -0.707106781f, -0.923879533f};
static const uniform float sine[8] = {0.0f, -0.382683432f, -0.707106781f, -0.923879533f, -1.0f, -0.923879533f, -0.707106781f, -0.382683432f};

export void fft16(uniform int n, uniform const float re[], uniform const float im[],
                  uniform float to_re[], uniform float to_im[])
{
    foreach (i = 0 ... n) {
        float x[16], y[16];
        for (uniform int k = 0; k < 16; k++) {
            uniform int j = (k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | (k & 8) >> 3;
            x[j] = re[k * n + i];
            y[j] = im[k * n + i];
        }
        for (uniform int stage = 0; stage < 4; stage++)
            for (uniform int k = 0; k < 8; k++) {
                uniform int span = 1 << stage;
                uniform int j = k & (span - 1);
                uniform int a = (k - j) * 2 + j;
                uniform int b = a + span;
                uniform float c = cosine[j << (3 - stage)], w = sine[j << (3 - stage)];
                float p = x[b] * c - y[b] * w, q = x[b] * w + y[b] * c;
                x[b] = x[a] - p;
                y[b] = y[a] - q;
                x[a] = x[a] + p;
                y[a] = y[a] + q;
            }
        for (uniform int k = 0; k < 16; k++) {
            to_re[k * n + i] = x[k];
            to_im[k * n + i] = y[k];
        }
    }
}
