export void ising(uniform int size, uniform int colour, uniform int seed, uniform int8 spin[],
                  uniform const float chance[])
{
    for (uniform int y = 0; y < size; y++) {
        foreach (x = 0 ... size) {
            if (((x + y) & 1) == colour) {
                int here = spin[y * size + x];
                int left = spin[y * size + (x == 0 ? size - 1 : x - 1)];
                int right = spin[y * size + (x == size - 1 ? 0 : x + 1)];
                int up = spin[(y == 0 ? size - 1 : y - 1) * size + x];
                int down = spin[(y == size - 1 ? 0 : y + 1) * size + x];
                uint32 h = (y * size + x) * 747796405u + seed;
                h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
                h = (h >> 22) ^ h;
                float random = (float)(h >> 8) * 5.9604644775390625e-8f;
                if (random < chance[here * (left + right + up + down) + 4])
                    spin[y * size + x] = -here;
            }
        }
    }
}
