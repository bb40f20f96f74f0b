kernel void roaring(uint n, global const uint *restrict start, global const ushort *restrict member,
                    global const uint *restrict which, global const uint *restrict bits,
                    global uint *restrict both)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint end = start[i + 1], words = which[i] * 2048;
    uint count = 0;
    for (uint k = start[i]; k < end; k++) {
        uint value = member[k];
        count += bits[words + (value >> 5)] >> (value & 31) & 1u;
    }
    both[i] = count;
}
