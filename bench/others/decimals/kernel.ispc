export void decimals(uniform int n, uniform const uint32 number[], uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        uint8 digit[10];
        uint32 rest = number[i];
        int digits = 0;
        do {
            digit[digits] = 48 + rest % 10;
            digits++;
            rest /= 10;
        } while (rest != 0);
        for (uniform int k = 0; k < 10; k++) {
            uint8 c = 32;
            if (digits != 0) {
                digits--;
                c = digit[digits];
            }
            text[10 * i + k] = c;
        }
    }
}
