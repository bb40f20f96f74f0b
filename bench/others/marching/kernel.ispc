export void marching(uniform int width, uniform int height, uniform float level,
                     uniform const float field[], uniform const uint32 table[],
                     uniform uint32 lines[], uniform uint32 total[])
{
    foreach (y = 0 ... height - 1, x = 0 ... width - 1) {
        int k = y * width + x;
        int which = (field[k] > level ? 1 : 0) + (field[k + 1] > level ? 2 : 0)
            + (field[k + width + 1] > level ? 4 : 0) + (field[k + width] > level ? 8 : 0);
        uint32 found = table[which];
        lines[k] = found;
        if (found)
            atomic_add_global(&total[0], found);
    }
}
