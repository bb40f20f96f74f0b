kernel void vertexdegrees(uint edges, global const uint *restrict source,
                    global const uint *restrict target, global uint *restrict degree)
{
    uint i = get_global_id(0);
    if (i >= edges)
        return;
    atomic_inc(&degree[source[i]]);
    atomic_inc(&degree[target[i]]);
}
