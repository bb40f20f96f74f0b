#define EMPTY 0xffffffff

kernel void clear(uint n, global uint *table)
{
    size_t i = get_global_id(0);
    if (i < n)
        table[i] = EMPTY;
}

kernel void distinct(uint n, uint mask, global const uint *restrict key, global uint *table,
                     global uint *count)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint own = key[i], place = own * 2654435761u >> 8 & mask;
    while (true) {
        uint found = atomic_cmpxchg(&table[place], EMPTY, own);
        if (found == EMPTY)
            atomic_inc(count);
        if (found == EMPTY || found == own)
            break;
        place = place + 1 & mask;
    }
}
