#define GROUP 256

kernel void unpack(uint blocks, uint bits, global const uint *restrict packed,
                   global const uint *restrict first, global uint *restrict number)
{
    local uint sums[2][GROUP];
    uint l = get_local_id(0), g = get_group_id(0);
    uint bit = get_global_id(0) * bits, place = bit >> 5;
    ulong both = packed[place] | (ulong)packed[place + 1] << 32;
    uint sum = (uint)(both >> (bit & 31)) & ((1u << bits) - 1);
    uint side = 0;
    sums[0][l] = sum;
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l >= distance)
            sum += sums[side][l - distance];
        side = 1 - side;
        sums[side][l] = sum;
    }
    number[get_global_id(0)] = first[g] + sum;
}
