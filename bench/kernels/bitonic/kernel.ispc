export void bitonic(uniform int pairs, uniform int j, uniform int k, uniform int32 keys[])
{
    foreach (t = 0 ... pairs) {
        int low = 2 * t - (t & (j - 1));
        int high = low + j;
        int x = keys[low], y = keys[high];
        if ((x > y) == ((low & k) == 0)) {
            keys[low] = y;
            keys[high] = x;
        }
    }
}
