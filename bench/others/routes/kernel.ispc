export void routes(uniform int n, uniform const uint32 child[], uniform const uint32 hop[],
                   uniform const uint32 address[], uniform uint32 chosen[])
{
    foreach (i = 0 ... n) {
        uint32 bits = address[i], node = 0, best = 0;
        for (uniform int k = 0; k < 32; k++) {
            node = child[2 * node + (bits >> 31)];
            if (node == 0)
                break;
            uint32 h = hop[node];
            if (h != 0)
                best = h;
            bits <<= 1;
        }
        chosen[i] = best;
    }
}
