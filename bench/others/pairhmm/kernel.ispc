#define READ 24
#define STRAND 32

export void pairhmm(uniform int n, uniform const uint8 read[], uniform const float error[],
                    uniform const uint8 strand[], uniform float likelihood[])
{
    foreach (w = 0 ... n) {
        float match[STRAND + 1], insert[STRAND + 1], remove[STRAND + 1];
        for (uniform int j = 0; j <= STRAND; j++) {
            match[j] = 0.0f;
            insert[j] = 0.0f;
            remove[j] = 1.0f / STRAND;
        }
        for (uniform int i = 0; i < READ; i++) {
            uint8 base = read[w * READ + i];
            float equal = 1.0f - error[w * READ + i], other = error[w * READ + i] / 3.0f;
            float m = match[0], x = insert[0], y = remove[0];
            match[0] = 0.0f;
            insert[0] = 0.0f;
            remove[0] = 0.0f;
            for (uniform int j = 1; j <= STRAND; j++) {
                float prior = base == strand[w * STRAND + j - 1] ? equal : other;
                float now = prior * (0.998f * m + 0.9f * (x + y));
                m = match[j];
                x = insert[j];
                y = remove[j];
                match[j] = now;
                insert[j] = 0.001f * m + 0.1f * x;
                remove[j] = 0.001f * match[j - 1] + 0.1f * remove[j - 1];
            }
        }
        float sum = 0.0f;
        for (uniform int j = 1; j <= STRAND; j++)
            sum += match[j] + insert[j];
        likelihood[w] = sum;
    }
}
