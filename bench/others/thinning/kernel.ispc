export void thinning(uniform int width, uniform int height, uniform const uint8 x[],
                     uniform uint8 y[])
{
    for (uniform int row = 0; row < height; row++)
        foreach (column = 0 ... width) {
            uint32 w = width + 2;
            uint32 at = (row + 1) * w + column + 1;
            uint32 n = x[at - w], ne = x[at - w + 1], e = x[at + 1], se = x[at + w + 1];
            uint32 s = x[at + w], sw = x[at + w - 1], we = x[at - 1], nw = x[at - w - 1];
            uint32 count = n + ne + e + se + s + sw + we + nw;
            uint32 turns = (n < ne ? 1 : 0) + (ne < e ? 1 : 0) + (e < se ? 1 : 0) + (se < s ? 1 : 0)
                + (s < sw ? 1 : 0) + (sw < we ? 1 : 0) + (we < nw ? 1 : 0) + (nw < n ? 1 : 0);
            uint32 out = x[at];
            if (count >= 2 && count <= 6 && turns == 1 && (n & e & s) == 0 && (e & s & we) == 0)
                out = 0;
            y[at] = (uint8)out;
        }
}
