#define EACH 64

kernel void tally(uint items, global const uint *restrict key, global uint *restrict count)
{
    uint i = get_global_id(0);
    if (i >= items)
        return;
    uint own[16];
    for (uint d = 0; d < 16; d++)
        own[d] = 0;
    for (uint k = 0; k < EACH; k++)
        own[key[i * EACH + k] & 15]++;
    for (uint d = 0; d < 16; d++)
        count[d * items + i] = own[d];
}

kernel void move(uint items, global const uint *restrict key, global uint *restrict start,
                 global uint *restrict sorted)
{
    uint i = get_global_id(0);
    if (i >= items)
        return;
    for (uint k = 0; k < EACH; k++) {
        uint value = key[i * EACH + k];
        sorted[start[(value & 15) * items + i]++] = value;
    }
}
