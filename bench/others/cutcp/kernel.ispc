export void cutcp(uniform int w, uniform int h, uniform int cells, uniform float step,
                  uniform const uint32 start[], uniform const float x[], uniform const float y[],
                  uniform const float z[], uniform const float charge[], uniform float out[])
{
    foreach (j = 0 ... h, i = 0 ... w) {
        float px = (float)i * step, py = (float)j * step, sum = 0.0f;
        int cx = (int)px, cy = (int)py;
        for (uniform int dy = -1; dy <= 1; dy++) {
            for (uniform int dx = -1; dx <= 1; dx++) {
                int u = cx + dx, v = cy + dy;
                if (u >= 0 && v >= 0 && u < (int)cells && v < (int)cells) {
                    int cell = (int)(v * (int)cells + u);
                    int end = start[cell + 1];
                    for (int k = start[cell]; k < end; k++) {
                        float ex = x[k] - px, ey = y[k] - py, ez = z[k];
                        float d = ex * ex + ey * ey + ez * ez;
                        if (d < 1.0f) {
                            float s = 1.0f - d;
                            sum += charge[k] * s * s / sqrt(d);
                        }
                    }
                }
            }
        }
        out[j * w + i] = sum;
    }
}
