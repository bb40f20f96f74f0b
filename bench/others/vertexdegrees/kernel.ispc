export void vertexdegrees(uniform int edges, uniform const uint32 source[], uniform const uint32 target[],
                    uniform uint32 degree[])
{
    foreach (i = 0 ... edges) {
        int s = source[i], t = target[i];
        atomic_add_local(&degree[s], (uint32)1);
        atomic_add_local(&degree[t], (uint32)1);
    }
}
