#define GROUP 128

export void oddeven(uniform int n, uniform int x[])
{
    for (uniform int first = 0; first < n; first += GROUP) {
        uniform int tile[GROUP];
        foreach (l = 0 ... GROUP)
            tile[l] = x[first + l];
        for (uniform int round = 0; round < GROUP; round++) {
            foreach (pair = 0 ... (GROUP - (round & 1)) / 2) {
                int l = 2 * pair + (round & 1);
                int a = tile[l], b = tile[l + 1];
                if (a > b) {
                    tile[l] = b;
                    tile[l + 1] = a;
                }
            }
        }
        foreach (l = 0 ... GROUP)
            x[first + l] = tile[l];
    }
}
