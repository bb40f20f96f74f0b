kernel void tape(uint n, global const uint *restrict code, global const uint *restrict which,
                 global const uint *restrict start, global uint *restrict result)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint cells[64];
    for (uint k = 0; k < 64; k++)
        cells[k] = 0;
    uint base = which[i] * 64, seed = start[i], at = 0, pc = 0, total = 0;
    while (true) {
        uint word = code[base + pc], number = word >> 8;
        pc++;
        switch (word & 255) {
        case 0: at = (at + number) & 63; break;
        case 1: cells[at] = (cells[at] + number) & 0xffffff; break;
        case 2: if (cells[at] == 0) pc = number; break;
        case 3: if (cells[at] != 0) pc = number; break;
        case 4: total = total * 31 + cells[at]; break;
        case 5:
            seed = seed * 1664525 + 1013904223;
            cells[at] = seed >> 29;
            break;
        case 6: cells[at] ^= total >> 8; break;
        default: result[i] = total; return;
        }
    }
}
