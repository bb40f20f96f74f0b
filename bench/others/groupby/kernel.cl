#define SLOTS 64
#define EMPTY 0xffffffff

kernel void groupby(uint n, uint items, global const uint *restrict key,
                    global const uint *restrict value, global uint *restrict total)
{
    local uint slot[SLOTS], sum[SLOTS];
    uint l = get_local_id(0);
    if (l < SLOTS) {
        slot[l] = EMPTY;
        sum[l] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += items) {
        uint own = key[i], place = own * 2654435761u >> 26;
        while (true) {
            uint was = atomic_cmpxchg(&slot[place], EMPTY, own);
            if (was == EMPTY || was == own)
                break;
            place = (place + 1) % SLOTS;
        }
        atomic_add(&sum[place], value[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < SLOTS && slot[l] != EMPTY)
        atomic_add(&total[slot[l]], sum[l]);
}
