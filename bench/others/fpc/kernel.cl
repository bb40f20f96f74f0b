kernel void fpc(uint lines, global const uint *restrict data, global uchar *restrict prefix,
                global ushort *restrict size)
{
    if (get_global_id(0) >= lines)
        return;
    uint i = get_global_id(0);
    uint bits = 0;
    for (uint k = 0; k < 16; k++) {
        uint v = data[i * 16 + k];
        int s = (int)v;
        uint code = 7;
        uint many = 32;
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
        prefix[i * 16 + k] = code;
        bits += 3 + many;
    }
    size[i] = (bits + 7) / 8;
}
