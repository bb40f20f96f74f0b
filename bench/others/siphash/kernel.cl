#define ROUND                      \
    do {                           \
        a += b; c += d;            \
        b = rotate(b, 13ul) ^ a;   \
        d = rotate(d, 16ul) ^ c;   \
        a = rotate(a, 32ul);       \
        c += b; a += d;            \
        b = rotate(b, 17ul) ^ c;   \
        d = rotate(d, 21ul) ^ a;   \
        c = rotate(c, 32ul);       \
    } while (0)

kernel void siphash(uint n, global const ulong *restrict key, global const ulong *restrict first,
                    global const ulong *restrict second, global ulong *restrict hash)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong a = 0x736f6d6570736575ul ^ key[0], b = 0x646f72616e646f6dul ^ key[1];
    ulong c = 0x6c7967656e657261ul ^ key[0], d = 0x7465646279746573ul ^ key[1];
    for (int k = 0; k < 3; k++) {
        ulong word = k == 0 ? first[i] : k == 1 ? second[i] : 16ul << 56;
        d ^= word;
        for (int r = 0; r < 2; r++)
            ROUND;
        a ^= word;
    }
    c ^= 0xff;
    for (int r = 0; r < 4; r++)
        ROUND;
    hash[i] = a ^ b ^ c ^ d;
}
