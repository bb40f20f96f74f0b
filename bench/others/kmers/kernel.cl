kernel void kmers(uint n, global const uchar *restrict base, global uint *count)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint word = 0;
    for (uint k = 0; k < 6; k++)
        word = word * 4 + (base[i + k] >> 1 & 3);
    atomic_inc(&count[word]);
}
