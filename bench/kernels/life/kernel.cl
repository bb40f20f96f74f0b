kernel void life(uint n, global const uchar *restrict cells, global uchar *restrict next)
{
    size_t x = get_global_id(0), y = get_global_id(1), row = n + 2;
    if (x >= n || y >= n)
        return;
    global const uchar *above = cells + y * row + x, *here = above + row, *below = here + row;
    uint around = above[0] + above[1] + above[2] + here[0] + here[2] + below[0] + below[1] + below[2];
    next[(y + 1) * row + x + 1] = (around | here[1]) == 3;
}
