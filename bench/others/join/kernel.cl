kernel void clear(uint size, global uint *restrict slot)
{
    uint i = get_global_id(0);
    if (i >= size)
        return;
    slot[2 * i] = 0;
    slot[2 * i + 1] = 0;
}

kernel void build(uint n, uint mask, global volatile uint *restrict slot,
                  global const uint *restrict key, global const uint *restrict price)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint own = key[i], place = own * 2654435761u >> 9 & mask;
    while (atomic_cmpxchg(&slot[2 * place], 0, own) != 0)
        place = (place + 1) & mask;
    slot[2 * place + 1] = price[i];
}

kernel void probe(uint n, uint mask, global const uint *restrict slot,
                  global const uint *restrict asked, global const uint *restrict amount,
                  global uint *restrict cost)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint sought = asked[i], place = sought * 2654435761u >> 9 & mask, found = 0;
    while (slot[2 * place] != 0) {
        if (slot[2 * place] == sought) {
            found = slot[2 * place + 1] * amount[i];
            break;
        }
        place = (place + 1) & mask;
    }
    cost[i] = found;
}
