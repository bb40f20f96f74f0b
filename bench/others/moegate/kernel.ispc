inline float exp2(float x) { return exp(x * 0.693147180559945f); }

export void moegate(uniform int n, uniform const float score[], uniform uint8 expert[],
                    uniform float share[])
{
    foreach (i = 0 ... n) {
        float first = -1e30f, second = -1e30f;
        int one = 0, two = 0;
        for (uniform int k = 0; k < 16; k++) {
            float s = score[i * 16 + k];
            if (s > first) {
                second = first;
                two = one;
                first = s;
                one = k;
            } else if (s > second) {
                second = s;
                two = k;
            }
        }
        float power = exp2((second - first) * 1.44269504f);
        expert[i * 2] = (uint8)one;
        expert[i * 2 + 1] = (uint8)two;
        share[i * 2] = 1.0f / (1.0f + power);
        share[i * 2 + 1] = power / (1.0f + power);
    }
}
