kernel void ising(uint n, uint colour, global const float *restrict chance,
                  global uint *restrict state, global int *restrict spin)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n)
        return;
    if (((x + y) & 1) != colour)
        return;
    uint left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
    uint above = y == 0 ? n - 1 : y - 1, below = y == n - 1 ? 0 : y + 1;
    uint i = y * n + x;
    int own = spin[i];
    int near = spin[y * n + left] + spin[y * n + right] + spin[above * n + x] + spin[below * n + x];
    uint next = state[i] * 1664525u + 1013904223u;
    state[i] = next;
    if ((next >> 8) * 5.9604645e-8f < chance[(own * near + 4) >> 1])
        spin[i] = -own;
}
