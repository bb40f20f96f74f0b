kernel void myers(uint n, uint length, uint pattern, global const ulong *restrict where,
                  global const uchar *restrict text, global uint *restrict distance)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong pv = ~0ul, mv = 0, last = 1ul << (pattern - 1);
    uint score = pattern;
    for (uint j = 0; j < length; j++) {
        ulong eq = where[text[j * n + i]];
        ulong xv = eq | mv;
        ulong xh = (((eq & pv) + pv) ^ pv) | eq;
        ulong ph = mv | ~(xh | pv);
        ulong mh = pv & xh;
        if (ph & last)
            score++;
        if (mh & last)
            score--;
        ph = ph << 1 | 1;
        mh <<= 1;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
    }
    distance[i] = score;
}
