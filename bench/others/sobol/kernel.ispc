export void sobol(uniform int n, uniform int dimensions, uniform const uint32 direction[],
                  uniform float points[])
{
    for (uniform int d = 0; d < dimensions; d++) {
        foreach (i = 0 ... n) {
            uint32 gray = i ^ (i >> 1), x = 0;
            for (int k = 0; gray != 0; k++) {
                if (gray & 1)
                    x ^= direction[d * 32 + k];
                gray >>= 1;
            }
            points[d * n + i] = x * 2.3283064365386963e-10f;
        }
    }
}
