export void nucleus(uniform int n, uniform int words, uniform const float share[],
                    uniform const float draw[], uniform uint32 chosen[])
{
    foreach (i = 0 ... n) {
        float left = draw[i];
        uint32 w = 0;
        while (w + 1 < words) {
            left -= share[i * words + w];
            if (left < 0.0f)
                break;
            w++;
        }
        chosen[i] = w;
    }
}
