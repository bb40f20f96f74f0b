kernel void mersenne(uint rounds, global const uint *restrict seed, global uint *restrict out,
                     uint streams)
{
    local uint state[624];
    uint l = get_local_id(0);
    uint g = get_group_id(0);
    for (uint k = l; k < 624; k += 208)
        state[k] = seed[g * 624 + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; round < rounds; round++) {
        for (uint part = 0; part < 3; part++) {
            uint k = part * 208 + l;
            uint next = k + 1 == 624 ? 0 : k + 1;
            uint far = k + 397 >= 624 ? k - 227 : k + 397;
            uint y = state[k] & 0x80000000u | state[next] & 0x7fffffffu;
            uint v = state[far] ^ y >> 1 ^ (y & 1) * 0x9908b0dfu;
            barrier(CLK_LOCAL_MEM_FENCE);
            state[k] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = v ^ v >> 11;
            v = v ^ v << 7 & 0x9d2c5680u;
            v = v ^ v << 15 & 0xefc60000u;
            v = v ^ v >> 18;
            out[(g * rounds + round) * 624 + k] = v;
        }
    }
}
