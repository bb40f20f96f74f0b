kernel void hashprobe(uint n, uint mask, global const uint *restrict slot_key,
                      global const uint *restrict slot_value, global const uint *restrict key,
                      global uint *restrict value)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint sought = key[i], place = sought * 2654435761u >> 7 & mask;
    while (slot_key[place] != sought && slot_key[place] != 0xffffffff)
        place = (place + 1) & mask;
    value[i] = slot_key[place] == sought ? slot_value[place] : 0xffffffff;
}
