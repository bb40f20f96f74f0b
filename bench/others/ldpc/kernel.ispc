export void checks(uniform int n, uniform const float towards[], uniform float back[])
{
    foreach (i = 0 ... n) {
        float least = 3e38, second = 3e38;
        int place = 0, odd = 0;
        for (uniform int k = 0; k < 6; k++) {
            float q = towards[i * 6 + k];
            float size = abs(q);
            if (q < 0.0f)
                odd ^= 1;
            if (size < least) {
                second = least;
                least = size;
                place = k;
            } else
                second = min(second, size);
        }
        least *= 0.75f;
        second *= 0.75f;
        for (uniform int k = 0; k < 6; k++) {
            float r = k == place ? second : least;
            int negative = towards[i * 6 + k] < 0.0f ? 1 : 0;
            if (negative != odd)
                r = -r;
            back[i * 6 + k] = r;
        }
    }
}

export void bits(uniform int n, uniform const uint32 edge[], uniform const float prior[],
                 uniform const float back[], uniform float towards[])
{
    foreach (i = 0 ... n) {
        float sum = prior[i];
        for (uniform int k = 0; k < 3; k++)
            sum += back[edge[i * 3 + k]];
        for (uniform int k = 0; k < 3; k++) {
            int e = edge[i * 3 + k];
            towards[e] = sum - back[e];
        }
    }
}
