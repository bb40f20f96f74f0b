kernel void brandes(uint n, uint now, global const uint *restrict row,
                    global const uint *restrict col, global const uint *restrict level,
                    global const float *restrict paths, global float *delta)
{
    size_t v = get_global_id(0);
    if (v >= n || level[v] != now)
        return;
    float sum = 0.0f;
    for (uint e = row[v]; e < row[v + 1]; e++) {
        uint w = col[e];
        if (level[w] == now + 1)
            sum += paths[v] / paths[w] * (1.0f + delta[w]);
    }
    delta[v] = sum;
}
