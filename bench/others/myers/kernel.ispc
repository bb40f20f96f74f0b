export void myers(uniform int n, uniform int length, uniform uint32 pattern,
                  uniform const uint64 where[], uniform const uint8 text[],
                  uniform uint32 distance[])
{
    foreach (i = 0 ... n) {
        uint64 pv = ~(uint64)0, mv = 0;
        uniform uint64 last = (uniform uint64)1 << (pattern - 1);
        uint32 score = pattern;
        for (uniform int j = 0; j < length; j++) {
            uint64 eq = where[text[j * n + i]];
            uint64 xv = eq | mv;
            uint64 xh = (((eq & pv) + pv) ^ pv) | eq;
            uint64 ph = mv | ~(xh | pv);
            uint64 mh = pv & xh;
            if ((ph & last) != 0)
                score++;
            if ((mh & last) != 0)
                score--;
            ph = (ph << 1) | 1;
            mh <<= 1;
            pv = mh | ~(xv | ph);
            mv = ph & xv;
        }
        distance[i] = score;
    }
}
