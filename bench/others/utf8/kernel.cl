kernel void utf8(uint n, global const uint *restrict start, global const uchar *restrict text,
                 global uint *restrict valid)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint left = 0, good = 1;
    for (uint j = start[i]; j < start[i + 1]; j++) {
        uchar c = text[j];
        if (left) {
            if ((c & 0xc0) != 0x80) {
                good = 0;
                break;
            }
            left--;
        } else if (c >= 0x80) {
            if ((c & 0xe0) == 0xc0)
                left = 1;
            else if ((c & 0xf0) == 0xe0)
                left = 2;
            else if ((c & 0xf8) == 0xf0)
                left = 3;
            else {
                good = 0;
                break;
            }
        }
    }
    valid[i] = good && left == 0;
}
