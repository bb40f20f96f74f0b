export void rc4(uniform int n, uniform int length, uniform const uint8 key[],
                uniform uint8 stream[])
{
    foreach (id = 0 ... n) {
        uint8 s[256];
        for (uniform int i = 0; i < 256; i++)
            s[i] = i;
        int j = 0;
        for (uniform int i = 0; i < 256; i++) {
            uint8 a = s[i];
            j = (j + a + key[id * 16 + i % 16]) & 255;
            s[i] = s[j];
            s[j] = a;
        }
        uniform int i = 0;
        j = 0;
        for (uniform int k = 0; k < length; k++) {
            i = (i + 1) & 255;
            uint8 a = s[i];
            j = (j + a) & 255;
            uint8 b = s[j];
            s[i] = b;
            s[j] = a;
            stream[id * length + k] = s[(a + b) & 255];
        }
    }
}
