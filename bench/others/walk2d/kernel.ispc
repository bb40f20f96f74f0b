export void walk2d(uniform int n, uniform int width, uniform const uint8 map[],
                   uniform uint32 steps[])
{
    foreach (i = 0 ... n) {
        uint32 state = i * 2654435761u + 12345u, place = width / 2 * width + width / 2, count = 0;
        do {
            state = state * 1664525u + 1013904223u;
            uint32 way = state >> 30;
            uint32 across = (way & 1) == 0 ? 1u : 0xffffffffu;
            uint32 down = (way & 1) == 0 ? width : 0u - width;
            place += way < 2 ? across : down;
            count++;
        } while (map[place] == 0 && count < 500);
        steps[i] = count;
    }
}
