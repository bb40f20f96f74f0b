static inline uint32 found(uniform const uint32 slot[], uint32 bucket, uint32 sought)
{
    for (uniform int k = 0; k < 4; k++)
        if (slot[bucket * 4 + k] == sought)
            return bucket * 4 + k;
    return 0xffffffff;
}

export void cuckoo(uniform int n, uniform uint32 shift, uniform const uint32 slot[],
                   uniform const uint32 key[], uniform uint32 place[])
{
    foreach (i = 0 ... n) {
        uint32 sought = key[i];
        uint32 at = found(slot, sought * 2654435761u >> shift, sought);
        if (at == 0xffffffff)
            at = found(slot, (sought ^ sought >> 15) * 2246822519u >> shift, sought);
        place[i] = at;
    }
}
