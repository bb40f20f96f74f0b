export void registers(uniform int n, uniform const uint32 code[], uniform const uint32 which[],
                      uniform const uint32 count[], uniform const uint32 start[],
                      uniform uint32 result[])
{
    foreach (i = 0 ... n) {
        uint32 regs[8];
        for (uniform int r = 0; r < 7; r++)
            regs[r] = start[i] + r;
        regs[7] = count[i];
        uint32 base = which[i] * 24, pc = 0;
        bool runs = true;
        while (runs) {
            uint32 word = code[base + pc];
            uint32 to = (word >> 8) & 255, a = (word >> 16) & 255, b = word >> 24;
            pc++;
            switch (word & 255) {
            case 0: regs[to] = a * 77 + b; break;
            case 1: regs[to] = regs[a] + regs[b]; break;
            case 2: regs[to] = regs[a] - regs[b]; break;
            case 3: regs[to] = regs[a] * regs[b]; break;
            case 4: regs[to] = regs[a] ^ regs[b]; break;
            case 5: regs[to] = regs[a] >> b; break;
            case 6: regs[to] = regs[to] - 1; if (regs[to] != 0) pc = 0; break;
            default: runs = false;
            }
        }
        result[i] = regs[0] ^ regs[1] ^ regs[2];
    }
}
