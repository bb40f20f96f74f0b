export void rgb565(uniform int n, uniform const uint16 x[], uniform uint32 y[])
{
    foreach (i = 0 ... n) {
        uint32 p = x[i];
        uint32 r = p >> 11;
        uint32 g = p >> 5 & 63;
        uint32 b = p & 31;
        r = r << 3 | r >> 2;
        g = g << 2 | g >> 4;
        b = b << 3 | b >> 2;
        y[i] = 0xff000000u | b << 16 | g << 8 | r;
    }
}
