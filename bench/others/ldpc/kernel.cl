kernel void checks(uint n, global const float *restrict towards, global float *restrict back)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float least = INFINITY, second = INFINITY;
    uint place = 0, odd = 0;
    for (uint k = 0; k < 6; k++) {
        float q = towards[i * 6 + k], size = fabs(q);
        odd ^= q < 0.0f;
        if (size < least) {
            second = least;
            least = size;
            place = k;
        } else
            second = min(second, size);
    }
    least *= 0.75f;
    second *= 0.75f;
    for (uint k = 0; k < 6; k++) {
        float r = k == place ? second : least;
        if ((towards[i * 6 + k] < 0.0f) ^ odd)
            r = -r;
        back[i * 6 + k] = r;
    }
}

kernel void bits(uint n, global const uint *restrict edge, global const float *restrict prior,
                 global const float *restrict back, global float *restrict towards)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float sum = prior[i];
    for (uint k = 0; k < 3; k++)
        sum += back[edge[i * 3 + k]];
    for (uint k = 0; k < 3; k++) {
        uint e = edge[i * 3 + k];
        towards[e] = sum - back[e];
    }
}
