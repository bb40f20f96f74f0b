kernel void marching(uint width, uint height, float level, global const float *restrict field,
                     global const uint *restrict table, global uint *restrict lines,
                     global uint *restrict total)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width - 1 || y >= height - 1)
        return;
    uint k = y * width + x;
    uint which = (field[k] > level) + 2 * (field[k + 1] > level)
        + 4 * (field[k + width + 1] > level) + 8 * (field[k + width] > level);
    lines[k] = table[which];
    if (table[which])
        atomic_add(total, table[which]);
}
