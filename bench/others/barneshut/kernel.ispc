export void barneshut(uniform int n, uniform int inner, uniform const float x[],
                      uniform const float y[], uniform const float mass[],
                      uniform const float size[], uniform const float px[],
                      uniform const float py[], uniform float fx[], uniform float fy[])
{
    foreach (i = 0 ... n) {
        int stack[32];
        int depth = 1;
        float ox = px[i], oy = py[i], sx = 0, sy = 0;
        stack[0] = 0;
        while (depth > 0) {
            int cell = stack[--depth];
            float dx = x[cell] - ox, dy = y[cell] - oy;
            float square = dx * dx + dy * dy + 1e-4f;
            if (size[cell] < 0.25f * square || cell >= inner) {
                float force = mass[cell] / (square * sqrt(square));
                sx += force * dx;
                sy += force * dy;
            } else
                for (uniform int k = 1; k <= 4; k++)
                    stack[depth++] = 4 * cell + k;
        }
        fx[i] = sx;
        fy[i] = sy;
    }
}
