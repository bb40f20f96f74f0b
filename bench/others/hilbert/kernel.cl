kernel void hilbert(uint n, global const uint *restrict xs, global const uint *restrict ys,
                    global uint *restrict place)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint x = xs[i], y = ys[i], sum = 0;
    for (uint side = 32768; side > 0; side /= 2) {
        uint right = (x & side) != 0, up = (y & side) != 0;
        sum += side * side * (3 * right ^ up);
        if (up == 0) {
            if (right == 1) {
                x = 65535 - x;
                y = 65535 - y;
            }
            uint other = x;
            x = y;
            y = other;
        }
    }
    place[i] = sum;
}
