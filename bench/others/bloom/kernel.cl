kernel void bloom(uint n, uint shift, global const uint *restrict factor,
                  global const uint *restrict words, global const uint *restrict key,
                  global uchar *restrict maybe)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint own = key[i];
    uchar found = 1;
    for (uint k = 0; k < 4; k++) {
        uint place = own * factor[k] >> shift;
        if ((words[place >> 5] >> (place & 31) & 1) == 0) {
            found = 0;
            break;
        }
    }
    maybe[i] = found;
}
