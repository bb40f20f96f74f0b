#define KEYS 15

export void btree(uniform int n, uniform int levels, uniform const uint32 keys[],
                  uniform const uint32 query[], uniform uint32 place[])
{
    foreach (i = 0 ... n) {
        uint32 wanted = query[i];
        int node = 0;
        uniform int first = 0, count = 1;
        for (uniform int level = 0; level < levels; level++) {
            int below = 0;
            for (uniform int k = 0; k < KEYS; k++)
                if (keys[(first + node) * KEYS + k] < wanted)
                    below++;
            node = node * (KEYS + 1) + below;
            first += count;
            count *= KEYS + 1;
        }
        place[i] = node;
    }
}
