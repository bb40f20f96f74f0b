kernel void wire(uint n, global const uint *restrict start, global const uchar *restrict coded,
                 global uint *restrict total)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint at = start[i], end = start[i + 1], sum = 0;
    while (at < end) {
        uint tag = coded[at], kind = tag & 7, field = tag >> 3;
        at++;
        if (kind == 0 || kind == 2) {
            uint number = 0, shift = 0, byte;
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
            uint word = coded[at] | coded[at + 1] << 8 | coded[at + 2] << 16 | coded[at + 3] << 24;
            sum += word ^ field;
            at += kind == 5 ? 4 : 8;
        }
    }
    total[i] = sum;
}
