kernel void lbp(uint w, uint h, global const uchar *restrict x, global uchar *restrict y)
{
    uint c = get_global_id(0), r = get_global_id(1);
    if (c >= w || r >= h)
        return;
    global const uchar *above = x + r * (w + 2) + c, *row = above + w + 2, *below = row + w + 2;
    uchar pixel = row[1];
    uint code = above[0] >= pixel;
    code |= (above[1] >= pixel) << 1;
    code |= (above[2] >= pixel) << 2;
    code |= (row[2] >= pixel) << 3;
    code |= (below[2] >= pixel) << 4;
    code |= (below[1] >= pixel) << 5;
    code |= (below[0] >= pixel) << 6;
    code |= (row[0] >= pixel) << 7;
    y[r * w + c] = code;
}
