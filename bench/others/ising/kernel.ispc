export void ising(uniform int n, uniform int colour, uniform const float chance[],
                  uniform uint32 state[], uniform int spin[])
{
    foreach (y = 0 ... n, x = 0 ... n) {
        if (((x + y) & 1) == colour) {
            int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
            int above = y == 0 ? n - 1 : y - 1, below = y == n - 1 ? 0 : y + 1;
            int i = y * n + x;
            int own = spin[i];
            int near = spin[y * n + left] + spin[y * n + right] + spin[above * n + x]
                       + spin[below * n + x];
            uint32 next = state[i] * 1664525u + 1013904223u;
            state[i] = next;
            if ((next >> 8) * 5.9604645e-8f < chance[(own * near + 4) >> 1])
                spin[i] = -own;
        }
    }
}
