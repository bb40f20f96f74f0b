export void bloom(uniform int n, uniform uint32 shift, uniform const uint32 factor[],
                  uniform const uint32 words[], uniform const uint32 key[],
                  uniform uint8 maybe[])
{
    foreach (i = 0 ... n) {
        uint32 own = key[i];
        uint8 found = 1;
        for (uniform int k = 0; k < 4; k++) {
            uint32 place = own * factor[k] >> shift;
            int word = place >> 5;
            if ((words[word] >> (place & 31) & 1) == 0) {
                found = 0;
                break;
            }
        }
        maybe[i] = found;
    }
}
