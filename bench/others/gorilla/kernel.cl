kernel void gorilla(uint n, uint words, global const uint *restrict stream,
                    global uint *restrict values)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint from = i * words, bit = 0;
    uint last = stream[from], leading = 0, size = 0;
    from++;
    values[i * 32] = last;
    for (uint k = 1; k < 32; k++) {
        ulong window = (ulong)stream[from] << 32 | (ulong)stream[from + 1];
        window = window << bit;
        if (window >> 63 == 0ul) {
            bit += 1;
        } else {
            bit += 2;
            if (window >> 62 == 3ul) {
                leading = (uint)(window >> 57) & 31;
                size = ((uint)(window >> 52) & 31) + 1;
                bit += 10;
                if (bit >= 32) {
                    bit -= 32;
                    from++;
                }
                window = (ulong)stream[from] << 32 | (ulong)stream[from + 1];
                window = window << bit;
            } else {
                window = window << 2;
            }
            last ^= (uint)(window >> (64 - size)) << (32 - leading - size);
            bit += size;
        }
        if (bit >= 32) {
            bit -= 32;
            from++;
        }
        values[i * 32 + k] = last;
    }
}
