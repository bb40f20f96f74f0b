kernel void quickselect(uint n, uint length, global int *restrict x, global int *restrict median)
{
    uint own = get_global_id(0);
    if (own >= n)
        return;
    global int *row = x + own * length;
    int low = 0, high = length - 1, middle = length / 2;
    while (low < high) {
        int pivot = row[middle], i = low, j = high;
        while (i <= j) {
            while (row[i] < pivot)
                i++;
            while (pivot < row[j])
                j--;
            if (i <= j) {
                int swapped = row[i];
                row[i] = row[j];
                row[j] = swapped;
                i++;
                j--;
            }
        }
        if (j < middle)
            low = i;
        if (middle < i)
            high = j;
    }
    median[own] = row[middle];
}
