kernel void adpcm(uint n, uint length, global const int *restrict step,
                  global const uchar *restrict code, global short *restrict sound)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int value = 0, index = 0;
    for (uint k = 0; k < 2 * length; k++) {
        uint nibble = code[i * length + k / 2] >> k % 2 * 4 & 15;
        int size = step[index], change = size >> 3;
        if (nibble & 4)
            change += size;
        if (nibble & 2)
            change += size >> 1;
        if (nibble & 1)
            change += size >> 2;
        if (nibble & 8)
            value -= change;
        else
            value += change;
        value = max(min(value, 32767), -32768);
        index += nibble & 4 ? (int)(nibble & 3) * 2 + 2 : -1;
        index = min(max(index, 0), 88);
        sound[2 * i * length + k] = value;
    }
}
