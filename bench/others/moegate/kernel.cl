kernel void moegate(uint n, global const float *restrict score, global uchar *restrict expert,
                    global float *restrict share)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float first = -1e30f, second = -1e30f;
    uint one = 0, two = 0;
    for (uint k = 0; k < 16; k++) {
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
    expert[i * 2] = (uchar)one;
    expert[i * 2 + 1] = (uchar)two;
    share[i * 2] = 1.0f / (1.0f + power);
    share[i * 2 + 1] = power / (1.0f + power);
}
