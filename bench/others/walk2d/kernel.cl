kernel void walk2d(uint n, uint width, global const uchar *restrict map,
                   global uint *restrict steps)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint state = i * 2654435761u + 12345u, place = width / 2 * width + width / 2, count = 0;
    do {
        state = state * 1664525u + 1013904223u;
        uint way = state >> 30;
        uint across = (way & 1) == 0 ? 1u : 0xffffffffu;
        uint down = (way & 1) == 0 ? width : 0u - width;
        place += way < 2 ? across : down;
        count++;
    } while (map[place] == 0 && count < 500);
    steps[i] = count;
}
