kernel void islands(uint n, global const ulong *restrict maps, global uint *restrict found)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint stack[64];
    ulong left = maps[i];
    uint count = 0;
    for (uint first = 0; first < 64; first++) {
        if ((left >> first & 1) == 0)
            continue;
        count++;
        uint level = 1;
        stack[0] = first;
        left &= ~(1ul << first);
        while (level > 0) {
            level--;
            uint cell = stack[level];
            for (uint side = 0; side < 4; side++) {
                uint x = cell % 8 + (side == 0) - (side == 1);
                uint y = cell / 8 + (side == 2) - (side == 3);
                if (x >= 8 || y >= 8)
                    continue;
                uint next = y * 8 + x;
                if (left >> next & 1) {
                    left &= ~(1ul << next);
                    stack[level] = next;
                    level++;
                }
            }
        }
    }
    found[i] = count;
}
