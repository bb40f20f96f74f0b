kernel void rc4(uint n, uint length, global const uchar *restrict key,
                global uchar *restrict stream)
{
    uint id = get_global_id(0);
    if (id >= n)
        return;
    uchar s[256];
    for (uint i = 0; i < 256; i++)
        s[i] = i;
    uint j = 0;
    for (uint i = 0; i < 256; i++) {
        uchar a = s[i];
        j = (j + a + key[id * 16 + i % 16]) & 255;
        s[i] = s[j];
        s[j] = a;
    }
    uint i = 0;
    j = 0;
    for (uint k = 0; k < length; k++) {
        i = (i + 1) & 255;
        uchar a = s[i];
        j = (j + a) & 255;
        uchar b = s[j];
        s[i] = b;
        s[j] = a;
        stream[id * length + k] = s[(a + b) & 255];
    }
}
