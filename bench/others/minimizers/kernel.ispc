#define K 15
#define WINDOW 10
#define GROUP 128

export void minimizers(uniform int n, uniform const uint8 bases[], uniform uint64 least[])
{
    uniform uint64 hash[GROUP + WINDOW - 1];
    for (uniform int first = 0; first < n; first += GROUP) {
        uniform int items = min(n - first, GROUP);
        foreach (w = 0 ... items + WINDOW - 1) {
            uint64 key = 0;
            for (uniform int k = 0; k < K; k++)
                key = (key << 2) | bases[first + w + k];
            key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdULL;
            key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53ULL;
            hash[w] = key ^ (key >> 33);
        }
        foreach (l = 0 ... items) {
            uint64 smallest = hash[l];
            for (uniform int w = 1; w < WINDOW; w++)
                smallest = min(smallest, hash[l + w]);
            least[first + l] = smallest;
        }
    }
}
