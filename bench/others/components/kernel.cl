kernel void components_hook(uint edges, global const uint *restrict u,
                            global const uint *restrict v, global uint *restrict parent,
                            global uint *restrict changed)
{
    uint e = get_global_id(0);
    if (e >= edges)
        return;
    uint a = parent[u[e]], b = parent[v[e]];
    if (a == b)
        return;
    atomic_min(&parent[max(a, b)], min(a, b));
    changed[0] = 1;
}

kernel void components_jump(uint n, global uint *restrict parent)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint root = parent[i];
    while (parent[root] != root)
        root = parent[root];
    parent[i] = root;
}
