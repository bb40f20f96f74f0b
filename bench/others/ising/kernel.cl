kernel void ising(uint size, uint colour, uint seed, global char *restrict spin,
                  global const float *restrict chance)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= size || y >= size)
        return;
    if (((x + y) & 1) == colour) {
        int here = spin[y * size + x];
        int left = spin[y * size + (x == 0 ? size - 1 : x - 1)];
        int right = spin[y * size + (x == size - 1 ? 0 : x + 1)];
        int up = spin[(y == 0 ? size - 1 : y - 1) * size + x];
        int down = spin[(y == size - 1 ? 0 : y + 1) * size + x];
        uint h = (y * size + x) * 747796405u + seed;
        h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
        h = (h >> 22) ^ h;
        float random = (float)(h >> 8) * 5.9604644775390625e-8f;
        if (random < chance[here * (left + right + up + down) + 4])
            spin[y * size + x] = -here;
    }
}
