export void spgemm(uniform int n, uniform const uint32 start[], uniform const uint32 column[],
                   uniform const float value[], uniform uint32 found[], uniform uint32 places[],
                   uniform float sums[])
{
    foreach (i = 0 ... n) {
        uint32 place[16];
        int length = 0;
        float sum[16];
        int last = start[i + 1];
        for (int j = start[i]; j < last; j++) {
            int row = column[j];
            int end = start[row + 1];
            for (int k = start[row]; k < end; k++) {
                uint32 c = column[k];
                int at = 0;
                float product = value[j] * value[k];
                while (at < length && place[at] < c)
                    at++;
                if (at < length && place[at] == c) {
                    sum[at] += product;
                    continue;
                }
                for (int m = length; m > at; m--) {
                    place[m] = place[m - 1];
                    sum[m] = sum[m - 1];
                }
                place[at] = c;
                sum[at] = product;
                length++;
            }
        }
        found[i] = length;
        for (int m = 0; m < length; m++) {
            places[i * 16 + m] = place[m];
            sums[i * 16 + m] = sum[m];
        }
    }
}
