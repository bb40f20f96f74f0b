export void bpe(uniform int n, uniform const uint32 first[], uniform const uint8 letters[],
                uniform const uint16 rank[], uniform uint32 count[], uniform uint16 pieces[])
{
    foreach (i = 0 ... n) {
        uint16 piece[16];
        uint32 from = first[i];
        uint32 size = first[i + 1] - from;
        for (uint32 k = 0; k < size; k++)
            piece[k] = (uint16)letters[from + k];
        while (true) {
            uint32 best = 65535, place = 0;
            for (uint32 k = 0; k + 1 < size; k++) {
                uint32 r = rank[(uint32)piece[k] * 64 + (uint32)piece[k + 1]];
                if (r < best) {
                    best = r;
                    place = k;
                }
            }
            if (best == 65535)
                break;
            piece[place] = (uint16)(best + 16);
            size--;
            for (uint32 k = place + 1; k < size; k++)
                piece[k] = piece[k + 1];
        }
        count[i] = size;
        for (uint32 k = 0; k < size; k++)
            pieces[i * 16 + k] = piece[k];
    }
}
