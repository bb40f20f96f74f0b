kernel void hashbuild(uint n, uint mask, global const uint *restrict keys,
                      global uint *restrict table)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i], slot = key * 2654435769u >> 15;
    for (;;) {
        slot &= mask;
        uint seen = atomic_cmpxchg((volatile global uint *)&table[slot], 0, key);
        if (seen == 0 || seen == key)
            break;
        slot++;
    }
}
