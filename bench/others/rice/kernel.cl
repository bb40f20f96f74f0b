kernel void rice(uint n, uint length, global const uint *restrict start,
                 global const uint *restrict words, global int *restrict value)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint at = start[i], mean = 16;
    for (uint j = 0; j < length; j++) {
        uint low = 32 - clz(mean >> 4), number = 0;
        while (words[at >> 5] >> (at & 31) & 1) {
            number++;
            at++;
        }
        at++;
        ulong both = words[at >> 5] | (ulong)words[(at >> 5) + 1] << 32;
        number = number << low | ((uint)(both >> (at & 31)) & ((1u << low) - 1));
        at += low;
        mean = mean - (mean >> 4) + number;
        value[j * n + i] = (int)(number >> 1) ^ -(int)(number & 1);
    }
}
