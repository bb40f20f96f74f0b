kernel void bpe(uint n, global const uint *restrict first, global const uchar *restrict letters,
                global const ushort *restrict rank, global uint *restrict count,
                global ushort *restrict pieces)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ushort piece[16];
    uint from = first[i], size = first[i + 1] - from;
    for (uint k = 0; k < size; k++)
        piece[k] = (ushort)letters[from + k];
    while (true) {
        uint best = 65535, place = 0;
        for (uint k = 0; k + 1 < size; k++) {
            uint r = rank[(uint)piece[k] * 64 + (uint)piece[k + 1]];
            if (r < best) {
                best = r;
                place = k;
            }
        }
        if (best == 65535)
            break;
        piece[place] = (ushort)(best + 16);
        size--;
        for (uint k = place + 1; k < size; k++)
            piece[k] = piece[k + 1];
    }
    count[i] = size;
    for (uint k = 0; k < size; k++)
        pieces[i * 16 + k] = piece[k];
}
