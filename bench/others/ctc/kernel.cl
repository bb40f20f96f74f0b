#define FRAMES 16
#define LETTERS 12
#define STATES 13

kernel void ctc(uint n, global const uchar *restrict label, global const float *restrict chance,
                global float *restrict result)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float state[STATES];
    uint letter[STATES];
    for (int s = 0; s < STATES; s++) {
        state[s] = 0.0f;
        letter[s] = s & 1 ? label[(s >> 1) * n + i] : 0;
    }
    state[0] = chance[i];
    state[1] = chance[letter[1] * n + i];
    for (uint t = 1; t < FRAMES; t++) {
        for (int s = STATES - 1; s >= 0; s--) {
            float sum = state[s];
            if (s > 0) {
                sum += state[s - 1];
                if (s > 1 && letter[s] != 0 && letter[s] != letter[s - 2])
                    sum += state[s - 2];
            }
            state[s] = sum * chance[(t * LETTERS + letter[s]) * n + i];
        }
    }
    result[i] = log2(state[STATES - 1] + state[STATES - 2]);
}
