static inline uint32 mixed(uint32 top, uint32 bottom, uint32 opacity)
{
    uint32 sum = top * opacity + bottom * (255 - opacity) + 128;
    return (sum + (sum >> 8)) >> 8;
}

export void alpha(uniform int n, uniform const uint32 over[], uniform const uint32 under[],
                  uniform uint32 out[])
{
    foreach (i = 0 ... n) {
        uint32 top = over[i], bottom = under[i];
        uint32 opacity = top >> 24;
        out[i] = mixed(top & 255, bottom & 255, opacity) |
                 mixed(top >> 8 & 255, bottom >> 8 & 255, opacity) << 8 |
                 mixed(top >> 16 & 255, bottom >> 16 & 255, opacity) << 16 |
                 mixed(255, bottom >> 24, opacity) << 24;
    }
}
