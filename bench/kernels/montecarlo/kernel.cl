uint next(uint state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ (state << 5);
}

kernel void montecarlo(uint n, uint points, global const uint *restrict seed,
                       global uint *restrict draws)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint state = seed[i], drawn = 0;
    for (uint inside = 0; inside < points; inside++) {
        float x, y;
        do {
            state = next(state);
            x = (state >> 8) * 0x1p-24f;
            state = next(state);
            y = (state >> 8) * 0x1p-24f;
            drawn++;
        } while (x * x + y * y > 1.0f);
    }
    draws[i] = drawn;
}
