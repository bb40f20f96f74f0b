export void hsv(uniform int n, uniform const float r[], uniform const float g[],
                uniform const float b[], uniform float hue[], uniform float saturation[],
                uniform float value[])
{
    foreach (i = 0 ... n) {
        float red = r[i], green = g[i], blue = b[i];
        float most = max(max(red, green), blue);
        float span = most - min(min(red, green), blue);
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
}
