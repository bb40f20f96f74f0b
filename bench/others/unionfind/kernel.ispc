inline int find(uniform unsigned int parent[], int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

export void hook(uniform int edges, uniform const unsigned int source[],
                 uniform const unsigned int target[], uniform unsigned int parent[])
{
    foreach (e = 0 ... edges) {
        int a = find(parent, source[e]), b = find(parent, target[e]);
        while (a != b) {
            int low = min(a, b), high = max(a, b);
            int old = atomic_compare_exchange_global(&parent[high], (unsigned int)high,
                                                     (unsigned int)low);
            if (old == high)
                break;
            a = find(parent, old);
            b = find(parent, low);
        }
    }
}

export void flatten(uniform int n, uniform unsigned int parent[])
{
    foreach (i = 0 ... n) {
        int root = i;
        while (parent[root] != root)
            root = parent[root];
        parent[i] = root;
    }
}
