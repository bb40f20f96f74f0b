kernel void kahn(uint n, int depth, global const uint *restrict start,
                 global const uint *restrict target, global uint *restrict left,
                 global int *restrict level, global uint *restrict again)
{
    uint i = get_global_id(0);
    if (i >= n || level[i] != depth)
        return;
    for (uint e = start[i]; e < start[i + 1]; e++) {
        uint t = target[e];
        if (atomic_dec((volatile global uint *)&left[t]) == 1) {
            level[t] = depth + 1;
            again[0] = 1;
        }
    }
}
