kernel void embbag(uint dim, uint bags, global const uint *restrict first,
                   global const uint *restrict rows, global const float *restrict share,
                   global const float *restrict table, global float *restrict y)
{
    uint k = get_global_id(0), bag = get_global_id(1);
    if (k >= dim || bag >= bags)
        return;
    float sum = 0;
    for (uint e = first[bag]; e < first[bag + 1]; e++)
        sum += share[e] * table[rows[e] * dim + k];
    y[bag * dim + k] = sum;
}
