export void hashprobe(uniform int n, uniform uint32 mask, uniform const uint32 slot_key[],
                      uniform const uint32 slot_value[], uniform const uint32 key[],
                      uniform uint32 value[])
{
    foreach (i = 0 ... n) {
        uint32 sought = key[i];
        int place = sought * 2654435761u >> 7 & mask;
        while (slot_key[place] != sought && slot_key[place] != 0xffffffff)
            place = (place + 1) & mask;
        if (slot_key[place] == sought)
            value[i] = slot_value[place];
        else
            value[i] = 0xffffffff;
    }
}
