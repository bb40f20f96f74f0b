#define EMPTY 0xffffffff

export void clear(uniform int n, uniform uint32 table[])
{
    foreach (i = 0 ... n)
        table[i] = EMPTY;
}

export void distinct(uniform int n, uniform uint32 mask, uniform const uint32 key[],
                     uniform uint32 table[], uniform uint32 count[])
{
    foreach (i = 0 ... n) {
        uint32 own = key[i], one = 1;
        uint32 place = own * 2654435761u >> 8 & mask;
        while (true) {
            uint32 found = atomic_compare_exchange_global(&table[place], (uint32)EMPTY, own);
            if (found == EMPTY)
                atomic_add_local(&count[0], one);
            if (found == EMPTY || found == own)
                break;
            place = place + 1 & mask;
        }
    }
}
