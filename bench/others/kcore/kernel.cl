kernel void kcore(uint n, uint k, global const uint *restrict start,
                  global const uint *restrict column, volatile global uint *degree,
                  global uint *restrict gone, global uint *restrict again)
{
    uint i = get_global_id(0);
    if (i >= n || gone[i] || degree[i] >= k)
        return;
    gone[i] = 1;
    *again = 1;
    for (uint e = start[i]; e < start[i + 1]; e++)
        atomic_dec(&degree[column[e]]);
}
