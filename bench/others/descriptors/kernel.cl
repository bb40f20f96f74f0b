#define GROUP 64
#define TILE 32
#define WORDS 8

kernel void descriptors(uint queries, uint known, global const uint *restrict query,
                    global const uint *restrict table, global uint *restrict nearest)
{
    local uint tile[TILE * WORDS];
    uint l = get_local_id(0), q = get_global_id(0), from = min(q, queries - 1);
    uint words[WORDS], which = 0, distance = -1;
    for (int k = 0; k < WORDS; k++)
        words[k] = query[from * WORDS + k];
    for (uint first = 0; first < known; first += TILE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = l; i < TILE * WORDS; i += GROUP)
            tile[i] = table[first * WORDS + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 0; d < TILE; d++) {
            uint bits = 0;
            for (int k = 0; k < WORDS; k++)
                bits += popcount(words[k] ^ tile[d * WORDS + k]);
            if (bits < distance) {
                distance = bits;
                which = first + d;
            }
        }
    }
    if (q < queries) {
        nearest[2 * q] = which;
        nearest[2 * q + 1] = distance;
    }
}
