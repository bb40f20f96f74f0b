export void lcp(uniform int n, uniform const uint8 text[], uniform const uint32 suffix[],
                uniform uint32 lcp[])
{
    foreach (i = 0 ... n - 1) {
        int one = suffix[i], other = suffix[i + 1], length = 0;
        while (one < n && other < n && text[one] == text[other]) {
            one++;
            other++;
            length++;
        }
        lcp[i] = length;
    }
}
