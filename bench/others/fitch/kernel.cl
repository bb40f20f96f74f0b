kernel void fitch(uint n, global const uchar *restrict leaf, global const uint *restrict child,
                  global uchar *restrict changes)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint set[63];
    int count = 0;
    for (uint k = 0; k < 32; k++)
        set[k] = leaf[k * n + i];
    for (uint k = 0; k < 31; k++) {
        uint a = set[child[k * 2]], b = set[child[k * 2 + 1]];
        uint both = a & b;
        if (both == 0) {
            both = a | b;
            count++;
        }
        set[k + 32] = both;
    }
    changes[i] = (uchar)count;
}
