export void rangecoder(uniform int n, uniform int length, uniform const uint32 first[],
                       uniform const uint8 coded[], uniform uint8 bits[])
{
    foreach (i = 0 ... n) {
        uint16 chance[16];
        for (uniform uint32 k = 0; k < 16; k++)
            chance[k] = (uint16)2048;
        uint32 at = first[i], range = 0xffffffff, code = 0, context = 0;
        for (uniform uint32 k = 0; k < 4; k++) {
            code = code << 8 | (uint32)coded[at];
            at++;
        }
        for (uniform uint32 k = 0; k < length; k++) {
            uint32 p = chance[context], bit = 0;
            uint32 bound = (range >> 12) * p;
            if (code < bound) {
                range = bound;
                chance[context] = (uint16)(p + ((4096 - p) >> 5));
            } else {
                bit = 1;
                code -= bound;
                range -= bound;
                chance[context] = (uint16)(p - (p >> 5));
            }
            while (range < 16777216) {
                code = code << 8 | (uint32)coded[at];
                at++;
                range <<= 8;
            }
            bits[i * length + k] = (uint8)bit;
            context = (context << 1 | bit) & 15;
        }
    }
}
