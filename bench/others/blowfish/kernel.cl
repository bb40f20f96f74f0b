kernel void blowfish(uint n, global const uint *restrict key, global const uint *restrict box,
                     global const uint *restrict text, global uint *restrict cipher)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint left = text[2 * i], right = text[2 * i + 1];
    for (uint k = 0; k < 16; k++) {
        left ^= key[k];
        uint f = box[left >> 24] + box[256 + (left >> 16 & 255)];
        f = (f ^ box[512 + (left >> 8 & 255)]) + box[768 + (left & 255)];
        uint other = right ^ f;
        right = left;
        left = other;
    }
    cipher[2 * i] = right ^ key[17];
    cipher[2 * i + 1] = left ^ key[16];
}
