kernel void nucleus(uint n, uint words, global const float *restrict share,
                    global const float *restrict draw, global uint *restrict chosen)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float left = draw[i];
    uint w = 0;
    while (w + 1 < words) {
        left -= share[i * words + w];
        if (left < 0.0f)
            break;
        w++;
    }
    chosen[i] = w;
}
