export void components_hook(uniform int edges, uniform const uint32 u[], uniform const uint32 v[],
                            uniform uint32 parent[], uniform uint32 changed[])
{
    foreach (e = 0 ... edges) {
        int a = parent[(int)u[e]], b = parent[(int)v[e]];
        if (a != b) {
            atomic_min_global(&parent[max(a, b)], (uint32)min(a, b));
            changed[0] = 1;
        }
    }
}

export void components_jump(uniform int n, uniform uint32 parent[])
{
    foreach (i = 0 ... n) {
        int root = parent[i];
        while (parent[root] != root)
            root = parent[root];
        parent[i] = root;
    }
}
