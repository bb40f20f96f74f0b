export void lombscargle(uniform int n, uniform int length, uniform const float time[],
                        uniform const float value[], uniform float power[])
{
    foreach (i = 0 ... n) {
        float omega = 0.05f + 0.002f * (float)i;
        float xc = 0.0f, xs = 0.0f, cc = 0.0f, cs = 0.0f;
        for (uniform uint32 k = 0; k < length; k++) {
            float angle = omega * time[k];
            float c = cos(angle), s = sin(angle);
            xc += value[k] * c;
            xs += value[k] * s;
            cc += c * c;
            cs += c * s;
        }
        float ss = (float)length - cc;
        float turned = cc * ss - cs * cs;
        power[i] = (xc * xc * ss + xs * xs * cc - 2.0f * xc * xs * cs) / turned;
    }
}
