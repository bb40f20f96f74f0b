kernel void lpm(uint n, global const uint *restrict trie, global const uint *restrict address,
                global ushort *restrict route)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint a = address[i], entry = 0x80000000;
    while (entry & 0x80000000) {
        entry = trie[(entry & 0x7fffffff) * 256 + (a >> 24)];
        a <<= 8;
    }
    route[i] = entry;
}
