kernel void bitonic(uint pairs, uint j, uint k, global int *keys)
{
    size_t t = get_global_id(0);
    if (t >= pairs)
        return;
    size_t low = 2 * t - (t & (j - 1)), high = low + j;
    int x = keys[low], y = keys[high];
    if ((x > y) == ((low & k) == 0)) {
        keys[low] = y;
        keys[high] = x;
    }
}
