export void filter(uniform int n, uniform uint32 limit, uniform const uint32 x[],
                   uniform uint32 count[], uniform uint32 out[])
{
    foreach (i = 0 ... n) {
        uint32 own = x[i];
        if (own > limit) {
            uint32 one = 1;
            int place = atomic_add_local(&count[0], one);
            out[place] = own;
        }
    }
}
