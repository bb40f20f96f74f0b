#define FRAMES 16
#define LETTERS 12
#define STATES 13

export void ctc(uniform int n, uniform const uint8 label[], uniform const float chance[],
                uniform float result[])
{
    foreach (i = 0 ... n) {
        float state[STATES];
        int letter[STATES];
        for (uniform int s = 0; s < STATES; s++) {
            state[s] = 0.0f;
            letter[s] = 0;
            if (s & 1)
                letter[s] = label[(s >> 1) * n + i];
        }
        state[0] = chance[i];
        state[1] = chance[letter[1] * n + i];
        for (uniform int t = 1; t < FRAMES; t++) {
            for (uniform int s = STATES - 1; s >= 0; s--) {
                float sum = state[s];
                if (s > 0) {
                    sum += state[s - 1];
                    if (s > 1 && letter[s] != 0 && letter[s] != letter[s - 2])
                        sum += state[s - 2];
                }
                state[s] = sum * chance[(t * LETTERS + letter[s]) * n + i];
            }
        }
        result[i] = log(state[STATES - 1] + state[STATES - 2]) * 1.44269504f;
    }
}
