#define PLACES 10

kernel void lorenz96(uint n, uint steps, float force, float step, float bound,
                     global const float *restrict start, global float *restrict end,
                     global uint *restrict when)
{
    uint i = get_global_id(0), time = 0;
    if (i >= n)
        return;
    float x[PLACES], change[PLACES];
    for (uint k = 0; k < PLACES; k++)
        x[k] = start[k * n + i];
    do {
        for (uint k = 0; k < PLACES; k++)
            change[k] = (x[(k + 1) % PLACES] - x[(k + 8) % PLACES]) * x[(k + 9) % PLACES]
                        + (force - x[k]);
        for (uint k = 0; k < PLACES; k++)
            x[k] += step * change[k];
        time++;
    } while (time < steps && x[0] <= bound);
    for (uint k = 0; k < PLACES; k++)
        end[k * n + i] = x[k];
    when[i] = time;
}
