export void blowfish(uniform int n, uniform const uint32 key[], uniform const uint32 box[],
                     uniform const uint32 text[], uniform uint32 cipher[])
{
    foreach (i = 0 ... n) {
        uint32 left = text[2 * i], right = text[2 * i + 1];
        for (uniform int k = 0; k < 16; k++) {
            left ^= key[k];
            uint32 f = box[left >> 24] + box[256 + (left >> 16 & 255)];
            f = (f ^ box[512 + (left >> 8 & 255)]) + box[768 + (left & 255)];
            uint32 other = right ^ f;
            right = left;
            left = other;
        }
        cipher[2 * i] = right ^ key[17];
        cipher[2 * i + 1] = left ^ key[16];
    }
}
