kernel void knights(uint n, global const int *restrict move, global uint *restrict length)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint x = i & 7, y = i >> 3 & 7, first = i >> 6 & 7, step = (i >> 9 & 3) * 2 + 1, steps = 1;
    ulong visited = 1ul << (y * 8 + x);
    while (true) {
        uint best = 9, to_x = 0, to_y = 0;
        for (uint k = 0; k < 8; k++) {
            uint m = first + k * step & 7, u = x + move[m], v = y + move[8 + m];
            if (u < 8 && v < 8 && (visited >> (v * 8 + u) & 1) == 0) {
                uint degree = 0;
                for (uint j = 0; j < 8; j++) {
                    uint p = u + move[j], q = v + move[8 + j];
                    if (p < 8 && q < 8 && (visited >> (q * 8 + p) & 1) == 0)
                        degree++;
                }
                if (degree < best) {
                    best = degree;
                    to_x = u;
                    to_y = v;
                }
            }
        }
        if (best == 9)
            break;
        x = to_x;
        y = to_y;
        visited |= 1ul << (y * 8 + x);
        steps++;
    }
    length[i] = steps;
}
