#define GROUP 256

kernel void segscan(uint n, global const uint *restrict x, global const uint *restrict head,
                    global uint *restrict y)
{
    local uint sum[GROUP], flag[GROUP];
    uint i = get_local_id(0), place = get_global_id(0);
    uint total = x[place], begins = head[place];
    sum[i] = total;
    flag[i] = begins;
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = 0, others = 0;
        if (i >= distance) {
            other = sum[i - distance];
            others = flag[i - distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        total += begins ? 0 : other;
        begins |= others;
        sum[i] = total;
        flag[i] = begins;
    }
    y[place] = total;
}
