export void tape(uniform int n, uniform const uint32 code[], uniform const uint32 which[],
                 uniform const uint32 start[], uniform uint32 result[])
{
    foreach (i = 0 ... n) {
        uint32 cells[64];
        for (uniform int k = 0; k < 64; k++)
            cells[k] = 0;
        uint32 base = which[i] * 64, seed = start[i], at = 0, pc = 0, total = 0;
        bool runs = true;
        while (runs) {
            uint32 word = code[base + pc];
            uint32 number = word >> 8;
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
            case 6: cells[at] = cells[at] ^ (total >> 8); break;
            default: runs = false;
            }
        }
        result[i] = total;
    }
}
