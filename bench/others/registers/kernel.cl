kernel void registers(uint n, global const uint *restrict code, global const uint *restrict which,
                      global const uint *restrict count, global const uint *restrict start,
                      global uint *restrict result)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint regs[8];
    for (uint r = 0; r < 7; r++)
        regs[r] = start[i] + r;
    regs[7] = count[i];
    uint base = which[i] * 24, pc = 0;
    while (true) {
        uint word = code[base + pc];
        uint to = word >> 8 & 255, a = word >> 16 & 255, b = word >> 24;
        pc++;
        switch (word & 255) {
        case 0: regs[to] = a * 77 + b; break;
        case 1: regs[to] = regs[a] + regs[b]; break;
        case 2: regs[to] = regs[a] - regs[b]; break;
        case 3: regs[to] = regs[a] * regs[b]; break;
        case 4: regs[to] = regs[a] ^ regs[b]; break;
        case 5: regs[to] = regs[a] >> b; break;
        case 6: regs[to]--; if (regs[to]) pc = 0; break;
        default: result[i] = regs[0] ^ regs[1] ^ regs[2]; return;
        }
    }
}
