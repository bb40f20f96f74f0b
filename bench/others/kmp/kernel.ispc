export void kmp(uniform int n, uniform int stretch, uniform int length, uniform const uint8 word[],
                uniform const uint32 fail[], uniform const uint8 text[], uniform uint32 count[])
{
    foreach (i = 0 ... n) {
        int matched = 0, found = 0;
        for (uniform int k = 0; k < stretch; k++) {
            uint8 c = text[i * stretch + k];
            while (matched > 0 && word[matched] != c)
                matched = fail[matched];
            if (word[matched] == c)
                matched++;
            if (matched == length) {
                found++;
                matched = fail[matched];
            }
        }
        count[i] = found;
    }
}
