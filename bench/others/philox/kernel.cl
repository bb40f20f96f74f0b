kernel void philox(uint n, uint one, uint two, global uint *restrict words)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint a = i, b = 0, c = 0, d = 0;
    for (int round = 0; round < 10; round++) {
        ulong p = (ulong)a * 0xD2511F53, q = (ulong)c * 0xCD9E8D57;
        a = (uint)(q >> 32) ^ b ^ one;
        b = (uint)q;
        c = (uint)(p >> 32) ^ d ^ two;
        d = (uint)p;
        one += 0x9E3779B9;
        two += 0xBB67AE85;
    }
    words[i] = a;
    words[n + i] = b;
    words[2 * n + i] = c;
    words[3 * n + i] = d;
}
