kernel void lcp(uint n, global const uchar *restrict text, global const uint *restrict suffix,
                global uint *restrict lcp)
{
    size_t i = get_global_id(0);
    if (i >= n - 1)
        return;
    uint one = suffix[i], other = suffix[i + 1], length = 0;
    while (one < n && other < n && text[one] == text[other]) {
        one++;
        other++;
        length++;
    }
    lcp[i] = length;
}
