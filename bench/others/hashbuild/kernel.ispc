export void hashbuild(uniform int n, uniform int mask, uniform const uint32 keys[],
                      uniform uint32 table[])
{
    foreach (i = 0 ... n) {
        uint32 key = keys[i];
        uint32 slot = key * 2654435769 >> 15;
        while (true) {
            slot &= mask;
            uint32 seen = atomic_compare_exchange_global(&table[slot], 0, key);
            if (seen == 0 || seen == key)
                break;
            slot++;
        }
    }
}
