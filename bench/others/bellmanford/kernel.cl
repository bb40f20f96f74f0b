kernel void bellmanford(uint n, global const uint *restrict from, global const uint *restrict to,
                        global const uint *restrict weight, global uint *distance,
                        global uint *again)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint near = distance[from[i]], node = to[i];
    if (near == 0xffffffff)
        return;
    near += weight[i];
    if (near < distance[node]) {
        atomic_min(&distance[node], near);
        *again = 1;
    }
}
