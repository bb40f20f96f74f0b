export void islands(uniform int n, uniform const uint64 maps[], uniform uint32 found[])
{
    foreach (i = 0 ... n) {
        uint32 stack[64];
        uint64 left = maps[i];
        int count = 0;
        for (uniform int first = 0; first < 64; first++) {
            if ((left >> first & 1) == 0)
                continue;
            count++;
            int level = 1;
            stack[0] = first;
            left &= ~((uint64)1 << first);
            while (level > 0) {
                level--;
                uint32 cell = stack[level];
                for (uniform int side = 0; side < 4; side++) {
                    uint32 x = cell % 8 + (side == 0 ? 1 : 0) - (side == 1 ? 1 : 0);
                    uint32 y = cell / 8 + (side == 2 ? 1 : 0) - (side == 3 ? 1 : 0);
                    if (x >= 8 || y >= 8)
                        continue;
                    uint32 next = y * 8 + x;
                    if ((left >> next & 1) != 0) {
                        left &= ~((uint64)1 << next);
                        stack[level] = next;
                        level++;
                    }
                }
            }
        }
        found[i] = count;
    }
}
