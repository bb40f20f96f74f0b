export void search(uniform int n, uniform int length, uniform const uint8 text[],
                   uniform const uint8 word[], uniform uint8 found[])
{
    foreach (i = 0 ... n) {
        bool same = true;
        for (uniform int j = 0; j < length; j++) {
            if (text[i + j] != word[j]) {
                same = false;
                break;
            }
        }
        found[i] = same ? 1 : 0;
    }
}
