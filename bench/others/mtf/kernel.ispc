export void mtf(uniform int n, uniform int length, uniform const uint8 code[], uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        uint8 list[64];
        for (uniform int k = 0; k < 64; k++)
            list[k] = k;
        for (uniform int k = 0; k < length; k++) {
            int place = code[k * n + i];
            uint8 symbol = list[place];
            for (; place > 0; place--)
                list[place] = list[place - 1];
            list[0] = symbol;
            text[k * n + i] = symbol;
        }
    }
}
