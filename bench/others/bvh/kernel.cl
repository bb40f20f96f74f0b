kernel void bvh(uint n, uint inner, global const float *restrict box,
                global const float *restrict origin, global const float *restrict inverse,
                global float *restrict distance_)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float ox = origin[i], oy = origin[n + i], oz = origin[2 * n + i];
    float ix = inverse[i], iy = inverse[n + i], iz = inverse[2 * n + i];
    uint stack[32];
    int top = 1;
    stack[0] = 0;
    float nearest = 100;
    while (top > 0) {
        uint node = stack[--top];
        global const float *b = box + node * 6;
        float x1 = (b[0] - ox) * ix, x2 = (b[3] - ox) * ix;
        float y1 = (b[1] - oy) * iy, y2 = (b[4] - oy) * iy;
        float z1 = (b[2] - oz) * iz, z2 = (b[5] - oz) * iz;
        float near = max(max(max(0.0f, min(x1, x2)), min(y1, y2)), min(z1, z2));
        float far = min(min(max(x1, x2), max(y1, y2)), max(z1, z2));
        if (near > far || near >= nearest)
            continue;
        if (node >= inner)
            nearest = near;
        else {
            stack[top++] = 2 * node + 1;
            stack[top++] = 2 * node + 2;
        }
    }
    distance_[i] = nearest;
}
