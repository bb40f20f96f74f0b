uint found(global const uint *slot, uint bucket, uint sought)
{
    for (uint k = 0; k < 4; k++)
        if (slot[bucket * 4 + k] == sought)
            return bucket * 4 + k;
    return 0xffffffff;
}

kernel void cuckoo(uint n, uint shift, global const uint *restrict slot,
                   global const uint *restrict key, global uint *restrict place)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint sought = key[i];
    uint at = found(slot, sought * 2654435761u >> shift, sought);
    if (at == 0xffffffff)
        at = found(slot, (sought ^ sought >> 15) * 2246822519u >> shift, sought);
    place[i] = at;
}
