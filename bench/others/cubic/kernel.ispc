export void cubic(uniform int n, uniform const float ps[], uniform const float qs[],
                  uniform float root[])
{
    foreach (i = 0 ... n) {
        float p = ps[i], q = qs[i];
        float x = q;
        for (uniform int k = 0; k < 60; k++) {
            float x2 = x * x;
            float step = ((x2 + p) * x - q) / (3.0f * x2 + p);
            x -= step;
            if (abs(step) < 1e-5f)
                break;
        }
        root[i] = x;
    }
}
