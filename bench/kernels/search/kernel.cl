kernel void search(uint n, uint length, global const uchar *restrict text,
                   global const uchar *restrict word, global uchar *restrict found)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint j = 0;
    while (j < length && text[i + j] == word[j])
        j++;
    found[i] = j == length;
}
