export void minhash(uniform int documents, uniform int hashes, uniform const uint32 first[],
                    uniform const uint32 tokens[], uniform const uint32 factor[],
                    uniform uint32 least[])
{
    foreach (i = 0 ... documents) {
        for (uniform uint32 h = 0; h < hashes; h++) {
            uint32 best = 0xffffffffu;
            for (uint32 k = first[i]; k < first[i + 1]; k++) {
                uint32 value = tokens[k] * factor[h];
                value = (value ^ value >> 15) * 0x85ebca6bu;
                best = min(best, value);
            }
            least[h * documents + i] = best;
        }
    }
}
