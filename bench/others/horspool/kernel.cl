kernel void horspool(uint n, uint stretch, uint length, global const uchar *restrict word,
                     global const uchar *restrict skip, global const uchar *restrict text,
                     global uint *restrict count)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint place = i * stretch, end = place + stretch, found = 0;
    while (place < end) {
        uint k = length;
        while (k > 0 && text[place + k - 1] == word[k - 1])
            k--;
        if (k == 0)
            found++;
        place += skip[text[place + length - 1]];
    }
    count[i] = found;
}
