uint mixed(uint top, uint bottom, uint opacity)
{
    uint sum = top * opacity + bottom * (255 - opacity) + 128;
    return (sum + (sum >> 8)) >> 8;
}

kernel void alpha(uint n, global const uint *restrict over, global const uint *restrict under,
                  global uint *restrict out)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint top = over[i], bottom = under[i], opacity = top >> 24;
    out[i] = mixed(top & 255, bottom & 255, opacity) |
             mixed(top >> 8 & 255, bottom >> 8 & 255, opacity) << 8 |
             mixed(top >> 16 & 255, bottom >> 16 & 255, opacity) << 16 |
             mixed(255, bottom >> 24, opacity) << 24;
}
