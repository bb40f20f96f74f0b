export void interpreter(uniform int n, uniform int steps, uniform const uint32 code[],
                        uniform const uint32 which[], uniform const uint32 start[],
                        uniform uint32 top[])
{
    foreach (i = 0 ... n) {
        uint32 stack[8];
        uint32 base = which[i] * 32, pc = 0;
        int level = 1;
        stack[0] = start[i];
        stack[1] = start[i] ^ 0x55555555;
        for (uniform int step = 0; step < steps; step++) {
            uint32 word = code[base + pc];
            uint32 number = word >> 8, last = stack[level];
            pc++;
            switch (word & 255) {
            case 0:
                level++;
                stack[level] = number;
                break;
            case 1:
                level--;
                stack[level] += last;
                break;
            case 2:
                level--;
                stack[level] *= last;
                break;
            case 3:
                level++;
                stack[level] = last;
                break;
            case 4:
                stack[level] = stack[level - 1];
                stack[level - 1] = last;
                break;
            case 5:
                level++;
                stack[level] = stack[level - 2];
                break;
            case 6:
                level--;
                break;
            default:
                stack[0] = stack[level - 1];
                stack[1] = last;
                level = 1;
                pc = 0;
            }
        }
        top[i] = stack[level];
    }
}
