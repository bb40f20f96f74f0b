kernel void murmur(uint n, uint seed, global const uint *restrict first,
                   global const uint *restrict second, global const uint *restrict third,
                   global uint *restrict hash)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint h = seed;
    for (uint k = 0; k < 3; k++) {
        uint word = k == 0 ? first[i] : k == 1 ? second[i] : third[i];
        word = rotate(word * 0xcc9e2d51u, 15u) * 0x1b873593u;
        h = rotate(h ^ word, 13u) * 5 + 0xe6546b64u;
    }
    h ^= 12;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    hash[i] = h ^ h >> 16;
}
