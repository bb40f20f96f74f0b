export void btree(uniform int n, uniform int levels, uniform const uint32 node[],
                  uniform const uint32 key[], uniform uint32 leaf[])
{
    foreach (i = 0 ... n) {
        uint32 sought = key[i];
        int at = 0;
        uniform int first = 0;
        for (uniform int level = 0; level < levels; level++) {
            int k = 0;
            while (k < 15 && sought >= node[at * 15 + k])
                k++;
            at = at * 16 + 1 + k;
            first = first * 16 + 1;
        }
        leaf[i] = at - first;
    }
}
