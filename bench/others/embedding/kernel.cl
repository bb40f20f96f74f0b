kernel void embedding(uint bags, uint columns, global const uint *restrict start,
                      global const uint *restrict name, global const float *restrict table,
                      global float *restrict sum)
{
    uint c = get_global_id(0), bag = get_global_id(1);
    if (c >= columns || bag >= bags)
        return;
    float total = 0.0f;
    for (uint e = start[bag]; e < start[bag + 1]; e++)
        total += table[name[e] * columns + c];
    sum[bag * columns + c] = total;
}
