export void fpc(uniform int lines, uniform const uint32 data[], uniform uint8 prefix[],
                uniform uint16 size[])
{
    foreach (i = 0 ... lines) {
        uint32 bits = 0;
        for (uniform int k = 0; k < 16; k++) {
            uint32 v = data[i * 16 + k];
            int s = (int)v;
            uint32 code = 7;
            uint32 many = 32;
            if (v == 0) {
                code = 0;
                many = 3;
            } else if (s >= -8 && s < 8) {
                code = 1;
                many = 4;
            } else if (s >= -128 && s < 128) {
                code = 2;
                many = 8;
            } else if (s >= -32768 && s < 32768) {
                code = 3;
                many = 16;
            } else if ((v & 0xffff) == 0) {
                code = 4;
                many = 16;
            } else {
                int low = ((int)(v << 16)) >> 16;
                int high = s >> 16;
                if (low >= -128 && low < 128 && high >= -128 && high < 128) {
                    code = 5;
                    many = 16;
                } else if (v == (v & 255) * 0x01010101u) {
                    code = 6;
                    many = 8;
                }
            }
            prefix[i * 16 + k] = (uint8)code;
            bits += 3 + many;
        }
        size[i] = (uint16)((bits + 7) / 8);
    }
}
