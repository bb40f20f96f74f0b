export void quickselect(uniform int n, uniform int length, uniform int x[], uniform int median[])
{
    foreach (own = 0 ... n) {
        int row = own * length;
        int low = 0, high = length - 1;
        uniform int middle = length / 2;
        while (low < high) {
            int pivot = x[row + middle], i = low, j = high;
            while (i <= j) {
                while (x[row + i] < pivot)
                    i++;
                while (pivot < x[row + j])
                    j--;
                if (i <= j) {
                    int swapped = x[row + i];
                    x[row + i] = x[row + j];
                    x[row + j] = swapped;
                    i++;
                    j--;
                }
            }
            if (j < middle)
                low = i;
            if (middle < i)
                high = j;
        }
        median[own] = x[row + middle];
    }
}
