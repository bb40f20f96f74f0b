kernel void cutcp(uint w, uint h, uint cells, float step, global const uint *restrict start,
                  global const float *restrict x, global const float *restrict y,
                  global const float *restrict z, global const float *restrict charge,
                  global float *restrict out)
{
    uint i = get_global_id(0);
    uint j = get_global_id(1);
    if (i >= w || j >= h)
        return;
    float px = (float)i * step, py = (float)j * step, sum = 0.0f;
    int cx = (int)px, cy = (int)py;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int u = cx + dx, v = cy + dy;
            if (u >= 0 && v >= 0 && u < (int)cells && v < (int)cells) {
                uint cell = (uint)(v * (int)cells + u);
                uint end = start[cell + 1];
                for (uint k = start[cell]; k < end; k++) {
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
