kernel void ghash(uint n, uint blocks, global const ulong *restrict h,
                  global const ulong *restrict data, global ulong *restrict tag)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong high = 0, low = 0;
    for (uint b = 0; b < blocks; b++) {
        high ^= data[2 * (i * blocks + b)];
        low ^= data[2 * (i * blocks + b) + 1];
        ulong zh = 0, zl = 0, vh = h[0], vl = h[1];
        for (uint bit = 0; bit < 128; bit++) {
            if ((long)high < 0) {
                zh ^= vh;
                zl ^= vl;
            }
            high = high << 1 | low >> 63;
            low <<= 1;
            ulong odd = vl & 1;
            vl = vl >> 1 | vh << 63;
            vh >>= 1;
            if (odd)
                vh ^= 0xe1UL << 56;
        }
        high = zh;
        low = zl;
    }
    tag[2 * i] = high;
    tag[2 * i + 1] = low;
}
