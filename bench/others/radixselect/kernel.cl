kernel void radixselect(uint columns, uint k, global const uint *restrict x,
                        global uint *restrict found, uint rows)
{
    local uint count[256];
    local uint state[2];
    uint l = get_local_id(0), row = get_group_id(0);
    uint prefix = 0, known = 0, rest = k;
    for (uint round = 0; round < 4; round++) {
        uint shift = 24 - round * 8;
        count[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = l; j < columns; j += 256) {
            uint value = x[row * columns + j];
            if ((value & known) == prefix)
                atomic_add(&count[value >> shift & 255], 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            uint digit = 0;
            while (count[digit] <= rest) {
                rest -= count[digit];
                digit++;
            }
            state[0] = digit;
            state[1] = rest;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        prefix |= state[0] << shift;
        known |= 255u << shift;
        rest = state[1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        found[row] = prefix;
}
