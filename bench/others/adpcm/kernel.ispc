export void adpcm(uniform int n, uniform int length, uniform const int step[],
                  uniform const uint8 code[], uniform int16 sound[])
{
    foreach (i = 0 ... n) {
        int value = 0, index = 0;
        for (uniform int k = 0; k < 2 * length; k++) {
            int nibble = (code[i * length + k / 2] >> k % 2 * 4) & 15;
            int size = step[index];
            int change = size >> 3;
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
            index += (nibble & 4) ? (nibble & 3) * 2 + 2 : -1;
            index = min(max(index, 0), 88);
            sound[2 * i * length + k] = value;
        }
    }
}
