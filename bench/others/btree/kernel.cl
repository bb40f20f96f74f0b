#define KEYS 15

kernel void btree(uint n, uint levels, global const uint *restrict keys,
                  global const uint *restrict query, global uint *restrict place)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint wanted = query[i], node = 0, first = 0, count = 1;
    for (uint level = 0; level < levels; level++) {
        uint below = 0;
        for (uint k = 0; k < KEYS; k++)
            if (keys[(first + node) * KEYS + k] < wanted)
                below++;
        node = node * (KEYS + 1) + below;
        first += count;
        count *= KEYS + 1;
    }
    place[i] = node;
}
