#define GROUP 256

kernel void radixblock(uint n, global const uint *restrict x, global uint *restrict y)
{
    local uint number[GROUP], count[2][GROUP];
    uint l = get_local_id(0), i = get_global_id(0);
    uint value = x[i];
    for (uint bit = 0; bit < 4; bit++) {
        uint with_ = (value >> bit) & 1;
        uint sum = 1 - with_, half_ = 0;
        count[0][l] = sum;
        for (uint distance = 1; distance < GROUP; distance *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l >= distance)
                sum += count[half_][l - distance];
            half_ = 1 - half_;
            count[half_][l] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint without = count[half_][GROUP - 1], before = sum - (1 - with_);
        number[with_ ? l - before + without : before] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = number[l];
    }
    y[i] = value;
}
