kernel void lpcrestore(uint n, global const int *restrict rest, global const int *restrict factor,
                       global int *restrict sound)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint first = i * 256;
    for (uint t = 0; t < 8; t++)
        sound[first + t] = rest[first + t];
    for (uint t = 8; t < 256; t++) {
        int sum = 0;
        for (uint k = 0; k < 8; k++)
            sum += factor[i * 8 + k] * sound[first + t - 1 - k];
        sound[first + t] = rest[first + t] + (sum >> 9);
    }
}
