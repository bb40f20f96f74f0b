export void lbp(uniform int w, uniform int h, uniform const uint8 x[], uniform uint8 y[])
{
    for (uniform int r = 0; r < h; r++)
        foreach (c = 0 ... w) {
            int above = r * (w + 2) + c;
            int row = above + w + 2;
            int below = row + w + 2;
            uint8 pixel = x[row + 1];
            int code = x[above] >= pixel ? 1 : 0;
            code |= x[above + 1] >= pixel ? 2 : 0;
            code |= x[above + 2] >= pixel ? 4 : 0;
            code |= x[row + 2] >= pixel ? 8 : 0;
            code |= x[below + 2] >= pixel ? 16 : 0;
            code |= x[below + 1] >= pixel ? 32 : 0;
            code |= x[below] >= pixel ? 64 : 0;
            code |= x[row] >= pixel ? 128 : 0;
            y[r * w + c] = (uint8)code;
        }
}
