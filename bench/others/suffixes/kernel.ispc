export void suffixes(uniform int n, uniform int length, uniform int longest,
                     uniform const uint32 suffix[], uniform const uint8 text[],
                     uniform const uint8 pattern[], uniform uint32 place[])
{
    foreach (i = 0 ... n) {
        int low = 0, high = length;
        while (low < high) {
            int middle = (low + high) / 2;
            int at = suffix[middle];
            bool less = false;
            for (uniform int k = 0; k < longest; k++) {
                if (at + k >= length) {
                    less = true;
                    break;
                }
                uint8 a = text[at + k], b = pattern[i * longest + k];
                if (a != b) {
                    less = a < b;
                    break;
                }
            }
            if (less)
                low = middle + 1;
            else
                high = middle;
        }
        place[i] = low;
    }
}
