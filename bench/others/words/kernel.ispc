static inline bool is_space(uint8 c)
{
    return c == 32 || c == 9 || c == 10 || c == 13;
}

export void words(uniform int n, uniform int length, uniform const uint8 text[],
                  uniform uint32 count[])
{
    foreach (i = 0 ... n) {
        uint32 starts = 0;
        bool after = true;
        if (i > 0)
            after = is_space(text[i * length - 1]);
        for (uniform int k = 0; k < length; k++) {
            if (is_space(text[i * length + k]))
                after = true;
            else {
                if (after)
                    starts++;
                after = false;
            }
        }
        count[i] = starts;
    }
}
