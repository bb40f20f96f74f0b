kernel void thinning(uint width, uint height, global const uchar *restrict x,
                     global uchar *restrict y)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height)
        return;
    uint w = width + 2, at = (row + 1) * w + column + 1;
    uint n = x[at - w], ne = x[at - w + 1], e = x[at + 1], se = x[at + w + 1];
    uint s = x[at + w], sw = x[at + w - 1], we = x[at - 1], nw = x[at - w - 1];
    uint count = n + ne + e + se + s + sw + we + nw;
    uint turns = (n < ne ? 1 : 0) + (ne < e ? 1 : 0) + (e < se ? 1 : 0) + (se < s ? 1 : 0)
        + (s < sw ? 1 : 0) + (sw < we ? 1 : 0) + (we < nw ? 1 : 0) + (nw < n ? 1 : 0);
    uint out = x[at];
    if (count >= 2 && count <= 6 && turns == 1 && (n & e & s) == 0 && (e & s & we) == 0)
        out = 0;
    y[at] = (uchar)out;
}
