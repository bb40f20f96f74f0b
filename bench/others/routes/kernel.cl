kernel void routes(uint n, global const uint *restrict child, global const uint *restrict hop,
                   global const uint *restrict address, global uint *restrict chosen)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint bits = address[i], node = 0, best = 0;
    for (uint k = 0; k < 32; k++) {
        node = child[2 * node + (bits >> 31)];
        if (node == 0)
            break;
        uint h = hop[node];
        if (h != 0)
            best = h;
        bits <<= 1;
    }
    chosen[i] = best;
}
