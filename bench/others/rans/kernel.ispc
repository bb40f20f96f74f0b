export void rans(uniform int n, uniform int length, uniform const uint32 start[],
                 uniform const uint32 state[], uniform const uint8 coded[],
                 uniform const uint32 slot[], uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        uint32 x = state[i];
        int place = start[i];
        for (uniform int k = 0; k < length; k++) {
            uint32 entry = slot[x & 4095];
            text[k * n + i] = entry;
            x = (entry >> 8 & 4095) * (x >> 12) + (entry >> 20);
            while (x < 1 << 23) {
                x = x << 8 | coded[place];
                place++;
            }
        }
    }
}
