kernel void btree(uint n, uint levels, global const uint *restrict node,
                  global const uint *restrict key, global uint *restrict leaf)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint sought = key[i], at = 0, first = 0;
    for (uint level = 0; level < levels; level++) {
        uint k = 0;
        while (k < 15 && sought >= node[at * 15 + k])
            k++;
        at = at * 16 + 1 + k;
        first = first * 16 + 1;
    }
    leaf[i] = at - first;
}
