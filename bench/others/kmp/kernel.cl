kernel void kmp(uint n, uint stretch, uint length, global const uchar *restrict word,
                global const uint *restrict fail, global const uchar *restrict text,
                global uint *restrict count)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint matched = 0, found = 0;
    for (uint k = 0; k < stretch; k++) {
        uchar c = text[i * stretch + k];
        while (matched > 0 && word[matched] != c)
            matched = fail[matched];
        if (word[matched] == c)
            matched++;
        if (matched == length) {
            found++;
            matched = fail[matched];
        }
    }
    count[i] = found;
}
