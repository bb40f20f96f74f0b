#define ROTATE(x, by) ((x) << (by) | (x) >> (32 - (by)))

kernel void sha1(uint n, global const uint *restrict block, global uint *restrict digest)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint word[80];
    for (uint t = 0; t < 16; t++)
        word[t] = block[t * n + i];
    for (uint t = 16; t < 80; t++)
        word[t] = ROTATE(word[t - 3] ^ word[t - 8] ^ word[t - 14] ^ word[t - 16], 1);
    uint a = 0x67452301, b = 0xEFCDAB89, c = 0x98BADCFE, d = 0x10325476, e = 0xC3D2E1F0;
    for (uint t = 0; t < 80; t++) {
        uint f, k;
        if (t < 20) {
            f = (b & c) | (~b & d);
            k = 0x5A827999;
        } else if (t < 40) {
            f = b ^ c ^ d;
            k = 0x6ED9EBA1;
        } else if (t < 60) {
            f = (b & c) | (b & d) | (c & d);
            k = 0x8F1BBCDC;
        } else {
            f = b ^ c ^ d;
            k = 0xCA62C1D6;
        }
        uint next = ROTATE(a, 5) + f + e + k + word[t];
        e = d;
        d = c;
        c = ROTATE(b, 30);
        b = a;
        a = next;
    }
    digest[i] = a + 0x67452301;
    digest[n + i] = b + 0xEFCDAB89;
    digest[2 * n + i] = c + 0x98BADCFE;
    digest[3 * n + i] = d + 0x10325476;
    digest[4 * n + i] = e + 0xC3D2E1F0;
}
