#define PLACES 10

export void lorenz96(uniform int n, uniform int steps, uniform float force, uniform float step,
                     uniform float bound, uniform const float start[], uniform float end[],
                     uniform uint32 when[])
{
    foreach (i = 0 ... n) {
        float x[PLACES], change[PLACES];
        for (uniform int k = 0; k < PLACES; k++)
            x[k] = start[k * n + i];
        int time = 0;
        do {
            for (uniform int k = 0; k < PLACES; k++)
                change[k] = (x[(k + 1) % PLACES] - x[(k + 8) % PLACES]) * x[(k + 9) % PLACES]
                            + (force - x[k]);
            for (uniform int k = 0; k < PLACES; k++)
                x[k] += step * change[k];
            time++;
        } while (time < steps && x[0] <= bound);
        for (uniform int k = 0; k < PLACES; k++)
            end[k * n + i] = x[k];
        when[i] = time;
    }
}
