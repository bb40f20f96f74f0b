export void utf8(uniform int n, uniform const uint32 start[], uniform const uint8 text[],
                 uniform uint32 valid[])
{
    foreach (i = 0 ... n) {
        int left = 0;
        bool good = true;
        int end = start[i + 1];
        for (int j = start[i]; j < end; j++) {
            int c = text[j];
            if (left) {
                if ((c & 0xc0) != 0x80) {
                    good = false;
                    break;
                }
                left--;
            } else if (c >= 0x80) {
                if ((c & 0xe0) == 0xc0)
                    left = 1;
                else if ((c & 0xf0) == 0xe0)
                    left = 2;
                else if ((c & 0xf8) == 0xf0)
                    left = 3;
                else {
                    good = false;
                    break;
                }
            }
        }
        valid[i] = good && left == 0 ? 1 : 0;
    }
}
