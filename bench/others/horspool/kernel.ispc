export void horspool(uniform int n, uniform int stretch, uniform int length,
                     uniform const uint8 word[], uniform const uint8 skip[],
                     uniform const uint8 text[], uniform uint32 count[])
{
    foreach (i = 0 ... n) {
        int place = i * stretch;
        int end = place + stretch, found = 0;
        while (place < end) {
            int k = length;
            while (k > 0 && text[place + k - 1] == word[k - 1])
                k--;
            if (k == 0)
                found++;
            place += skip[text[place + length - 1]];
        }
        count[i] = found;
    }
}
