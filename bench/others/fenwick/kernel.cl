kernel void fenwick(uint n, global const uint *restrict tree, global const uint *restrict first,
                    global const uint *restrict last, global uint *restrict total)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint sum = 0;
    for (uint k = last[i]; k > 0; k &= k - 1)
        sum += tree[k];
    for (uint k = first[i]; k > 0; k &= k - 1)
        sum -= tree[k];
    total[i] = sum;
}
