kernel void polygon(uint n, uint edges, global const float *restrict x,
                    global const float *restrict y, global const float *restrict px,
                    global const float *restrict py, global uint *restrict inside)
{
    size_t p = get_global_id(0);
    if (p >= n)
        return;
    float ox = x[p], oy = y[p];
    uint c = 0;
    for (uint i = 0, j = edges - 1; i < edges; j = i++) {
        if ((py[i] > oy) != (py[j] > oy)
            && ox < (px[j] - px[i]) * (oy - py[i]) / (py[j] - py[i]) + px[i])
            c = !c;
    }
    inside[p] = c;
}
