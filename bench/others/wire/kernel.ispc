export void wire(uniform int n, uniform const uint32 start[], uniform const uint8 coded[],
                 uniform uint32 total[])
{
    foreach (i = 0 ... n) {
        uint32 at = start[i], end = start[i + 1], sum = 0;
        while (at < end) {
            uint32 tag = coded[at];
            uint32 kind = tag & 7, field = tag >> 3;
            at++;
            if (kind == 0 || kind == 2) {
                uint32 number = 0, shift = 0, byte;
                do {
                    byte = coded[at];
                    at++;
                    number |= (byte & 127) << shift;
                    shift += 7;
                } while (byte >= 128);
                if (kind == 2) {
                    at += number;
                    sum += number;
                } else {
                    sum += number * (field + 1);
                }
            } else {
                uint32 word = coded[at];
                word |= (uint32)coded[at + 1] << 8;
                word |= (uint32)coded[at + 2] << 16;
                word |= (uint32)coded[at + 3] << 24;
                sum += word ^ field;
                at += kind == 5 ? 4 : 8;
            }
        }
        total[i] = sum;
    }
}
