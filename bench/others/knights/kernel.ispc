export void knights(uniform int n, uniform const int move[], uniform uint32 length[])
{
    foreach (i = 0 ... n) {
        uint32 x = i & 7, y = i >> 3 & 7, first = i >> 6 & 7, step = (i >> 9 & 3) * 2 + 1;
        uint32 steps = 1;
        uint64 visited = (uint64)1 << (y * 8 + x);
        while (true) {
            uint32 best = 9, to_x = 0, to_y = 0;
            for (uniform int k = 0; k < 8; k++) {
                uint32 m = first + k * step & 7;
                uint32 u = x + move[m], v = y + move[8 + m];
                if (u < 8 && v < 8 && (visited >> (v * 8 + u) & 1) == 0) {
                    uint32 degree = 0;
                    for (uniform int j = 0; j < 8; j++) {
                        uint32 p = u + move[j], q = v + move[8 + j];
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
            visited |= (uint64)1 << (y * 8 + x);
            steps++;
        }
        length[i] = steps;
    }
}
