static inline float log2(float x)
{
    return log(x) * 1.44269504088896f;
}

export void gillespie(uniform int n, uniform const float rates[], uniform uint32 prey[],
                      uniform uint32 predators[], uniform uint32 steps[])
{
    foreach (i = 0 ... n) {
        uint32 a = prey[i], b = predators[i], state = i * 747796405u + 1u, count = 0;
        float time = 0.0f, birth = rates[0], meet = rates[1], death = rates[2];
        while (time < 1.0f && count < 400) {
            float x = birth * (float)a, y = meet * (float)a * (float)b, z = death * (float)b;
            float sum = x + y + z;
            if (sum <= 0.0f)
                break;
            state = state * 1664525u + 1013904223u;
            float first = (float)((state >> 8) + 1) * 0.000000059604645f;
            state = state * 1664525u + 1013904223u;
            float second = (float)(state >> 8) * 0.000000059604645f * sum;
            time -= 0.6931472f * log2(first) / sum;
            if (second < x)
                a++;
            else if (second < x + y) {
                a--;
                b++;
            } else
                b--;
            count++;
        }
        prey[i] = a;
        predators[i] = b;
        steps[i] = count;
    }
}
