#define BEAMS 4

export void beam(uniform int sentences, uniform int words, uniform const float score[],
                 uniform const float chance[], uniform float best[], uniform uint32 from[])
{
    foreach (s = 0 ... sentences) {
        float kept[BEAMS];
        uint32 name[BEAMS];
        for (uniform int k = 0; k < BEAMS; k++)
            kept[k] = -1e30f;
        for (uniform int b = 0; b < BEAMS; b++) {
            float base = score[s * BEAMS + b];
            for (uniform int w = 0; w < words; w++) {
                float value = base + chance[(s * BEAMS + b) * words + w];
                if (value > kept[BEAMS - 1]) {
                    int k = BEAMS - 1;
                    while (k > 0 && kept[k - 1] < value) {
                        kept[k] = kept[k - 1];
                        name[k] = name[k - 1];
                        k--;
                    }
                    kept[k] = value;
                    name[k] = b * words + w;
                }
            }
        }
        for (uniform int k = 0; k < BEAMS; k++) {
            best[s * BEAMS + k] = kept[k];
            from[s * BEAMS + k] = name[k];
        }
    }
}
