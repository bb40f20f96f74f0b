export void edit(uniform int n, uniform int length, uniform const uint8 a[],
                 uniform const uint8 b[], uniform uint32 distance[])
{
    foreach (i = 0 ... n) {
        uint32 row[64];
        for (uniform int j = 0; j <= length; j++)
            row[j] = j;
        for (uniform int k = 0; k < length; k++) {
            uint32 diagonal = row[0], left = k + 1, letter = a[k * n + i];
            row[0] = left;
            for (uniform int j = 1; j <= length; j++) {
                uint32 above = row[j], change = diagonal;
                if (letter != b[(j - 1) * n + i])
                    change++;
                left = min(min(above, left) + 1, change);
                row[j] = left;
                diagonal = above;
            }
        }
        distance[i] = row[length];
    }
}
