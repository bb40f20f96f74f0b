kernel void edges(uint n, global const uint *restrict edge, global const float *restrict place,
                  global float *restrict length)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint a = edge[2 * i], b = edge[2 * i + 1];
    float sum = 0;
    for (uint k = 0; k < 3; k++) {
        float d = place[a * 3 + k] - place[b * 3 + k];
        sum += d * d;
    }
    length[i] = sqrt(sum);
}
