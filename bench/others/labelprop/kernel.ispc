export void labelprop(uniform int n, uniform const uint32 first[], uniform const uint32 ends[],
                      uniform const uint32 label[], uniform uint32 chosen[])
{
    foreach (v = 0 ... n) {
        uint32 best = label[v], most = 0;
        for (uint32 e = first[v]; e < first[v + 1]; e++) {
            uint32 mine = label[ends[e]], count = 0;
            for (uint32 o = first[v]; o < first[v + 1]; o++)
                count += label[ends[o]] == mine ? 1 : 0;
            if (count > most || (count == most && mine < best)) {
                most = count;
                best = mine;
            }
        }
        chosen[v] = best;
    }
}
