export void choose(uniform int n, uniform const uint32 start[], uniform const uint32 column[],
                   uniform const uint32 priority[], uniform uint8 chosen[],
                   uniform const uint8 state[])
{
    foreach (v = 0 ... n) {
        uint8 most = 0;
        if (state[v] == 0) {
            most = 1;
            int end = start[v + 1];
            for (int e = start[v]; e < end; e++) {
                int w = column[e];
                if (state[w] == 0 && priority[w] > priority[v]) {
                    most = 0;
                    break;
                }
            }
        }
        chosen[v] = most;
    }
}

export void exclude(uniform int n, uniform const uint32 start[], uniform const uint32 column[],
                    uniform const uint8 chosen[], uniform uint8 state[])
{
    foreach (v = 0 ... n) {
        if (state[v] != 0)
            continue;
        if (chosen[v]) {
            state[v] = 1;
            continue;
        }
        int end = start[v + 1];
        for (int e = start[v]; e < end; e++) {
            int w = column[e];
            if (chosen[w]) {
                state[v] = 2;
                break;
            }
        }
    }
}
