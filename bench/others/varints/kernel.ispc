export void varints(uniform int n, uniform const uint32 start[], uniform const uint8 coded[],
                    uniform uint32 sum[])
{
    foreach (i = 0 ... n) {
        uint32 total = 0, number = 0;
        int shift = 0, end = start[i + 1];
        for (int j = start[i]; j < end; j++) {
            uint32 byte = coded[j];
            number |= (byte & 127) << shift;
            if (byte < 128) {
                total += number;
                number = 0;
                shift = 0;
            } else
                shift += 7;
        }
        sum[i] = total;
    }
}
