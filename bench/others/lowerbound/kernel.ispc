export void lowerbound(uniform int n, uniform int size, uniform const uint32 sorted[],
                       uniform const uint32 key[], uniform uint32 place[])
{
    foreach (i = 0 ... n) {
        uint32 sought = key[i];
        int low = 0, high = size;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted[middle] < sought)
                low = middle + 1;
            else
                high = middle;
        }
        place[i] = low;
    }
}
