inline float exp2(float x) { return exp(x * 0.693147180559945f); }

/* A pair at a time: a barrier is the end of a foreach. */
export void sinkhorn(uniform int rounds, uniform const float cost[], uniform const float mass[],
                     uniform float plan[], uniform int pairs)
{
    for (uniform int pair = 0; pair < pairs; pair++) {
        uniform float k[256], u[16], v[16];
        foreach (l = 0 ... 256)
            k[l] = exp2(cost[pair * 256 + l] * -14.426950f);
        foreach (x = 0 ... 16) {
            u[x] = 1.0f;
            v[x] = 1.0f;
        }
        for (uniform int round = 0; round < rounds; round++) {
            foreach (x = 0 ... 16) {
                float sum = 0.0f;
                for (uniform int j = 0; j < 16; j++)
                    sum += k[x * 16 + j] * v[j];
                u[x] = mass[pair * 32 + x] / sum;
            }
            foreach (x = 0 ... 16) {
                float sum = 0.0f;
                for (uniform int j = 0; j < 16; j++)
                    sum += k[j * 16 + x] * u[j];
                v[x] = mass[pair * 32 + 16 + x] / sum;
            }
        }
        foreach (y = 0 ... 16, x = 0 ... 16)
            plan[pair * 256 + y * 16 + x] = u[y] * k[y * 16 + x] * v[x];
    }
}
