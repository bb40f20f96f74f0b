export void rankselect(uniform int n, uniform int words, uniform const uint32 bits[],
                       uniform const uint32 before[], uniform const uint32 asked[],
                       uniform uint32 place[])
{
    foreach (i = 0 ... n) {
        uint32 rank = asked[i];
        int low = 0, high = words;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (before[middle] <= rank)
                low = middle;
            else
                high = middle;
        }
        uint32 word = bits[low];
        for (uint32 left = rank - before[low]; left > 0; left--)
            word &= word - 1;
        place[i] = low * 32 + popcnt((int)((word & (0 - word)) - 1));
    }
}
