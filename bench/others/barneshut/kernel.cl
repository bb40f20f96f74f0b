kernel void barneshut(uint n, uint inner, global const float *restrict x,
                      global const float *restrict y, global const float *restrict mass,
                      global const float *restrict size, global const float *restrict px,
                      global const float *restrict py, global float *restrict fx,
                      global float *restrict fy)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint stack[32], depth = 1;
    float ox = px[i], oy = py[i], sx = 0, sy = 0;
    stack[0] = 0;
    while (depth > 0) {
        uint cell = stack[--depth];
        float dx = x[cell] - ox, dy = y[cell] - oy;
        float square = dx * dx + dy * dy + 1e-4f;
        if (size[cell] < 0.25f * square || cell >= inner) {
            float force = mass[cell] / (square * sqrt(square));
            sx += force * dx;
            sy += force * dy;
        } else
            for (uint k = 1; k <= 4; k++)
                stack[depth++] = 4 * cell + k;
    }
    fx[i] = sx;
    fy[i] = sy;
}
