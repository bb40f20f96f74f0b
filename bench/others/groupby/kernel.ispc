#define SLOTS 64
#define GROUP 256
#define EMPTY 0xffffffff

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void groupby(uniform int n, uniform int items, uniform const uint32 key[],
                    uniform const uint32 value[], uniform uint32 total[])
{
    for (uniform int first = 0; first < items; first += GROUP) {
        uniform uint32 slot[SLOTS], sum[SLOTS];
        foreach (l = 0 ... SLOTS) {
            slot[l] = EMPTY;
            sum[l] = 0;
        }
        foreach (l = 0 ... GROUP)
            for (int i = first + l; i < n; i += items) {
                uint32 own = key[i];
                int place = own * 2654435761u >> 26;
                while (true) {
                    uint32 was = atomic_compare_exchange_local(&slot[place], (uint32)EMPTY, own);
                    if (was == EMPTY || was == own)
                        break;
                    place = (place + 1) % SLOTS;
                }
                atomic_add_local(&sum[place], value[i]);
            }
        foreach (l = 0 ... SLOTS) {
            int own = slot[l];
            if (own != EMPTY)
                atomic_add_local(&total[own], sum[l]);
        }
    }
}
