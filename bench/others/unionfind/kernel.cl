uint find(volatile global uint *parent, uint i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

kernel void hook(uint edges, global const uint *restrict source, global const uint *restrict target,
                 volatile global uint *parent)
{
    uint e = get_global_id(0);
    if (e >= edges)
        return;
    uint a = find(parent, source[e]), b = find(parent, target[e]);
    while (a != b) {
        uint low = min(a, b), high = max(a, b);
        uint old = atomic_cmpxchg(&parent[high], high, low);
        if (old == high)
            break;
        a = find(parent, old);
        b = find(parent, low);
    }
}

kernel void flatten(uint n, global uint *parent)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint root = i;
    while (parent[root] != root)
        root = parent[root];
    parent[i] = root;
}
