export void unbwt(uniform int n, uniform const uint8 last[], uniform const uint8 origin[],
                  uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        uint32 first[64];
        uint8 next[128];
        for (uniform int c = 0; c < 64; c++)
            first[c] = 0;
        for (uniform int k = 0; k < 128; k++) {
            int c = last[i * 128 + k];
            first[c] = first[c] + 1;
        }
        uint32 sum = 0;
        for (uniform int c = 0; c < 64; c++) {
            uint32 count = first[c];
            first[c] = sum;
            sum += count;
        }
        for (uniform int k = 0; k < 128; k++) {
            int c = last[i * 128 + k];
            int place = first[c];
            next[place] = (uint8)k;
            first[c] = (uint32)place + 1;
        }
        int at = origin[i];
        for (uniform int k = 0; k < 128; k++) {
            at = next[at];
            text[i * 128 + k] = last[i * 128 + at];
        }
    }
}
