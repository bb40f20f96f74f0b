#define EACH 64

export void tally(uniform int items, uniform const uint32 key[], uniform uint32 count[])
{
    foreach (i = 0 ... items) {
        int own[16];
        for (uniform int d = 0; d < 16; d++)
            own[d] = 0;
        for (uniform int k = 0; k < EACH; k++)
            own[key[i * EACH + k] & 15]++;
        for (uniform int d = 0; d < 16; d++)
            count[d * items + i] = own[d];
    }
}

export void move(uniform int items, uniform const uint32 key[], uniform uint32 start[],
                 uniform uint32 sorted[])
{
    foreach (i = 0 ... items) {
        for (uniform int k = 0; k < EACH; k++) {
            uint32 value = key[i * EACH + k];
            int slot = (value & 15) * items + i;
            sorted[start[slot]] = value;
            start[slot]++;
        }
    }
}
