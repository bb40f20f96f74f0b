kernel void labelprop(uint n, global const uint *restrict first, global const uint *restrict ends,
                      global const uint *restrict label, global uint *restrict chosen)
{
    uint v = get_global_id(0);
    if (v >= n)
        return;
    uint best = label[v], most = 0;
    for (uint e = first[v]; e < first[v + 1]; e++) {
        uint mine = label[ends[e]], count = 0;
        for (uint o = first[v]; o < first[v + 1]; o++)
            count += label[ends[o]] == mine ? 1 : 0;
        if (count > most || (count == most && mine < best)) {
            most = count;
            best = mine;
        }
    }
    chosen[v] = best;
}
