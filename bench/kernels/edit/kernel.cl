kernel void edit(uint n, uint length, global const uchar *restrict a,
                 global const uchar *restrict b, global uint *restrict distance)
{
    uint row[64];
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    for (uint j = 0; j <= length; j++)
        row[j] = j;
    for (uint k = 0; k < length; k++) {
        uint diagonal = row[0], left = k + 1, letter = a[(size_t)k * n + i];
        row[0] = left;
        for (uint j = 1; j <= length; j++) {
            uint above = row[j], change = diagonal + (letter != b[(size_t)(j - 1) * n + i]);
            left = min(min(above, left) + 1, change);
            row[j] = left;
            diagonal = above;
        }
    }
    distance[i] = row[length];
}
