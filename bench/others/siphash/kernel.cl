#define ROUND \
    v0 += v1; v1 = rotate(v1, 13ul) ^ v0; v0 = rotate(v0, 32ul); \
    v2 += v3; v3 = rotate(v3, 16ul) ^ v2; \
    v0 += v3; v3 = rotate(v3, 21ul) ^ v0; \
    v2 += v1; v1 = rotate(v1, 17ul) ^ v2; v2 = rotate(v2, 32ul);

kernel void siphash(uint n, global const ulong *restrict key, global const ulong *restrict x,
                    global ulong *restrict y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    ulong v0 = key[0] ^ 0x736f6d6570736575ul, v1 = key[1] ^ 0x646f72616e646f6dul;
    ulong v2 = key[0] ^ 0x6c7967656e657261ul, v3 = key[1] ^ 0x7465646279746573ul;
    for (int k = 0; k < 3; k++) {
        ulong word = k < 2 ? x[2 * i + k] : 16ul << 56;
        v3 ^= word;
        ROUND
        ROUND
        v0 ^= word;
    }
    v2 ^= 255;
    for (int k = 0; k < 4; k++) {
        ROUND
    }
    y[i] = v0 ^ v1 ^ v2 ^ v3;
}
