kernel void cubic(uint n, global const float *restrict ps, global const float *restrict qs,
                  global float *restrict root)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float p = ps[i], q = qs[i], x = q;
    for (uint k = 0; k < 60; k++) {
        float x2 = x * x;
        float step = ((x2 + p) * x - q) / (3.0f * x2 + p);
        x -= step;
        if (fabs(step) < 1e-5f)
            break;
    }
    root[i] = x;
}
