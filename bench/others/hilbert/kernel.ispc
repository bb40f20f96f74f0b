export void hilbert(uniform int n, uniform const uint32 xs[], uniform const uint32 ys[],
                    uniform uint32 place[])
{
    foreach (i = 0 ... n) {
        uint32 x = xs[i], y = ys[i], sum = 0;
        for (uniform uint32 side = 32768; side > 0; side /= 2) {
            uint32 right = (x & side) != 0 ? 1 : 0, up = (y & side) != 0 ? 1 : 0;
            sum += side * side * (3 * right ^ up);
            if (up == 0) {
                if (right == 1) {
                    x = 65535 - x;
                    y = 65535 - y;
                }
                uint32 other = x;
                x = y;
                y = other;
            }
        }
        place[i] = sum;
    }
}
