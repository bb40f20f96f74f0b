#define READ 24
#define STRAND 32

kernel void pairhmm(uint n, global const uchar *restrict read, global const float *restrict error,
                    global const uchar *restrict strand, global float *restrict likelihood)
{
    size_t w = get_global_id(0);
    if (w >= n)
        return;
    float match[STRAND + 1], insert[STRAND + 1], delete[STRAND + 1];
    for (int j = 0; j <= STRAND; j++) {
        match[j] = insert[j] = 0.0f;
        delete[j] = 1.0f / STRAND;
    }
    for (int i = 0; i < READ; i++) {
        uchar base = read[w * READ + i];
        float equal = 1.0f - error[w * READ + i], other = error[w * READ + i] / 3.0f;
        float m = match[0], x = insert[0], y = delete[0];
        match[0] = insert[0] = delete[0] = 0.0f;
        for (int j = 1; j <= STRAND; j++) {
            float prior = base == strand[w * STRAND + j - 1] ? equal : other;
            float now = prior * (0.998f * m + 0.9f * (x + y));
            m = match[j];
            x = insert[j];
            y = delete[j];
            match[j] = now;
            insert[j] = 0.001f * m + 0.1f * x;
            delete[j] = 0.001f * match[j - 1] + 0.1f * delete[j - 1];
        }
    }
    float sum = 0.0f;
    for (int j = 1; j <= STRAND; j++)
        sum += match[j] + insert[j];
    likelihood[w] = sum;
}
