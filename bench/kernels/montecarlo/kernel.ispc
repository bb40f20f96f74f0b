static inline uint32 next(uint32 state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ (state << 5);
}

export void montecarlo(uniform int n, uniform int points, uniform const uint32 seed[],
                       uniform uint32 draws[])
{
    foreach (i = 0 ... n) {
        uint32 state = seed[i], drawn = 0;
        for (uniform int inside = 0; inside < points; inside++) {
            float x, y;
            do {
                state = next(state);
                x = (float)(int)(state >> 8) * 5.9604644775390625e-8f;
                state = next(state);
                y = (float)(int)(state >> 8) * 5.9604644775390625e-8f;
                drawn++;
            } while (x * x + y * y > 1.0f);
        }
        draws[i] = drawn;
    }
}
