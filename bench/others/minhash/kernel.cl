kernel void minhash(uint documents, uint hashes, global const uint *restrict first,
                    global const uint *restrict tokens, global const uint *restrict factor,
                    global uint *restrict least)
{
    uint i = get_global_id(0);
    if (i >= documents)
        return;
    for (uint h = 0; h < hashes; h++) {
        uint best = 0xffffffffu;
        for (uint k = first[i]; k < first[i + 1]; k++) {
            uint value = tokens[k] * factor[h];
            value = (value ^ value >> 15) * 0x85ebca6bu;
            best = min(best, value);
        }
        least[h * documents + i] = best;
    }
}
