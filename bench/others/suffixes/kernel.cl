kernel void suffixes(uint n, uint length, uint longest, global const uint *restrict suffix,
                     global const uchar *restrict text, global const uchar *restrict pattern,
                     global uint *restrict place)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint low = 0, high = length;
    while (low < high) {
        uint middle = (low + high) / 2, at = suffix[middle];
        bool less = false;
        for (uint k = 0; k < longest; k++) {
            if (at + k >= length) {
                less = true;
                break;
            }
            uchar a = text[at + k], b = pattern[i * longest + k];
            if (a != b) {
                less = a < b;
                break;
            }
        }
        if (less)
            low = middle + 1;
        else
            high = middle;
    }
    place[i] = low;
}
