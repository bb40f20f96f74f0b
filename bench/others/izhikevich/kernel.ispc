export void izhikevich(uniform int n, uniform int steps, uniform const float input[],
                       uniform const float kind[], uniform uint32 spikes[])
{
    foreach (i = 0 ... n) {
        float v = -65.0f, u = -13.0f, d = kind[i], current = input[i];
        uint32 count = 0;
        for (uniform uint32 t = 0; t < steps; t++) {
            float drive = t % 40 < 30 ? current : 0.0f;
            v += 0.5f * ((0.04f * v + 5.0f) * v + 140.0f - u + drive);
            v += 0.5f * ((0.04f * v + 5.0f) * v + 140.0f - u + drive);
            u += 0.02f * (0.2f * v - u);
            if (v >= 30.0f) {
                v = -65.0f;
                u += d;
                count++;
            }
        }
        spikes[i] = count;
    }
}
