#define BEAMS 4

kernel void beam(uint sentences, uint words, global const float *restrict score,
                 global const float *restrict chance, global float *restrict best,
                 global uint *restrict from)
{
    uint s = get_global_id(0);
    if (s >= sentences)
        return;
    float kept[BEAMS];
    uint name[BEAMS];
    for (int k = 0; k < BEAMS; k++)
        kept[k] = -1e30f;
    for (uint b = 0; b < BEAMS; b++) {
        float base = score[s * BEAMS + b];
        for (uint w = 0; w < words; w++) {
            float value = base + chance[(s * BEAMS + b) * words + w];
            if (value > kept[BEAMS - 1]) {
                int k = BEAMS - 1;
                for (; k > 0 && kept[k - 1] < value; k--) {
                    kept[k] = kept[k - 1];
                    name[k] = name[k - 1];
                }
                kept[k] = value;
                name[k] = b * words + w;
            }
        }
    }
    for (int k = 0; k < BEAMS; k++) {
        best[s * BEAMS + k] = kept[k];
        from[s * BEAMS + k] = name[k];
    }
}
