kernel void hsv(uint n, global const float *restrict r, global const float *restrict g,
                global const float *restrict b, global float *restrict hue,
                global float *restrict saturation, global float *restrict value)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float red = r[i], green = g[i], blue = b[i];
    float most = fmax(fmax(red, green), blue), span = most - fmin(fmin(red, green), blue);
    float angle = 0.0f;
    if (span > 0.0f) {
        if (red == most)
            angle = (green - blue) / span;
        else if (green == most)
            angle = (blue - red) / span + 2.0f;
        else
            angle = (red - green) / span + 4.0f;
        angle = (angle < 0.0f ? angle + 6.0f : angle) * 60.0f;
    }
    hue[i] = angle;
    saturation[i] = most > 0.0f ? span / most : 0.0f;
    value[i] = most;
}
