#define BLOCK 256

kernel void bykey(uint n, global const uint *restrict key, global const int *restrict value,
                  global int *restrict total)
{
    local uint keys[BLOCK];
    local int sums[2][BLOCK];
    uint l = get_local_id(0), mine = key[get_global_id(0)], from = 0;
    int sum = value[get_global_id(0)];
    keys[l] = mine;
    for (uint distance = 1; distance < BLOCK; distance *= 2) {
        sums[from][l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l >= distance && keys[l - distance] == mine)
            sum += sums[from][l - distance];
        from ^= 1;
    }
    if (l == BLOCK - 1 || keys[l + 1] != mine)
        atomic_add(&total[mine], sum);
}
