export void clear(uniform int size, uniform uint32 slot[])
{
    foreach (i = 0 ... size) {
        slot[2 * i] = 0;
        slot[2 * i + 1] = 0;
    }
}

export void build(uniform int n, uniform uint32 mask, uniform uint32 slot[],
                  uniform const uint32 key[], uniform const uint32 price[])
{
    foreach (i = 0 ... n) {
        uint32 own = key[i];
        int place = own * 2654435761u >> 9 & mask;
        while (atomic_compare_exchange_global(&slot[2 * place], (uint32)0, own) != 0)
            place = (place + 1) & mask;
        slot[2 * place + 1] = price[i];
    }
}

export void probe(uniform int n, uniform uint32 mask, uniform const uint32 slot[],
                  uniform const uint32 asked[], uniform const uint32 amount[],
                  uniform uint32 cost[])
{
    foreach (i = 0 ... n) {
        uint32 sought = asked[i], found = 0;
        int place = sought * 2654435761u >> 9 & mask;
        while (slot[2 * place] != 0) {
            if (slot[2 * place] == sought) {
                found = slot[2 * place + 1] * amount[i];
                break;
            }
            place = (place + 1) & mask;
        }
        cost[i] = found;
    }
}
