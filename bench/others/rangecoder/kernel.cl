kernel void rangecoder(uint n, uint length, global const uint *restrict first,
                       global const uchar *restrict coded, global uchar *restrict bits)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ushort chance[16];
    for (uint k = 0; k < 16; k++)
        chance[k] = (ushort)2048;
    uint at = first[i], range = 0xffffffff, code = 0, context = 0;
    for (uint k = 0; k < 4; k++) {
        code = code << 8 | (uint)coded[at];
        at++;
    }
    for (uint k = 0; k < length; k++) {
        uint p = chance[context], bit = 0;
        uint bound = (range >> 12) * p;
        if (code < bound) {
            range = bound;
            chance[context] = (ushort)(p + ((4096 - p) >> 5));
        } else {
            bit = 1;
            code -= bound;
            range -= bound;
            chance[context] = (ushort)(p - (p >> 5));
        }
        while (range < 16777216) {
            code = code << 8 | (uint)coded[at];
            at++;
            range <<= 8;
        }
        bits[i * length + k] = (uchar)bit;
        context = (context << 1 | bit) & 15;
    }
}
