export void meanshift(uniform int n, uniform float limit, uniform const float x[],
                      uniform const float y[], uniform float px[], uniform float py[])
{
    foreach (i = 0 ... n) {
        float ox = px[i], oy = py[i], sx = 0, sy = 0;
        int count = 0;
        for (uniform int j = 0; j < n; j++) {
            float dx = x[j] - ox, dy = y[j] - oy;
            if (dx * dx + dy * dy < limit) {
                sx += x[j];
                sy += y[j];
                count++;
            }
        }
        if (count > 0) {
            px[i] = sx / count;
            py[i] = sy / count;
        }
    }
}
