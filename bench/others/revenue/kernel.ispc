export void revenue(uniform int n, uniform int groups, uniform const uint16 day[],
                    uniform const uint8 discount[], uniform const uint8 quantity[],
                    uniform const uint32 price[], uniform uint64 sum[])
{
    for (uniform int g = 0; g < groups; g++) {
        uint64 total = 0;
        for (uniform int first = g * 256; first < n; first += groups * 256) {
            foreach (i = first ... min(first + 256, n))
                if (day[i] >= 700 && day[i] < 1065 && discount[i] >= 5 && discount[i] <= 7
                    && quantity[i] < 24)
                    total += (uint64)price[i] * discount[i];
        }
        sum[g] = reduce_add(total);
    }
}
