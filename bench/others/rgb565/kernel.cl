kernel void rgb565(uint n, global const ushort *restrict x, global uint *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint p = x[i], r = p >> 11, g = p >> 5 & 63, b = p & 31;
    r = r << 3 | r >> 2;
    g = g << 2 | g >> 4;
    b = b << 3 | b >> 2;
    y[i] = 0xff000000u | b << 16 | g << 8 | r;
}
