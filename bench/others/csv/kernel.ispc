export void csv(uniform int n, uniform uint32 wanted, uniform const uint32 start[],
                uniform const uint8 text[], uniform uint32 number[])
{
    foreach (i = 0 ... n) {
        uint32 sum = 0, field = 0;
        bool quoted = false;
        int end = start[i + 1];
        for (int j = start[i]; j < end; j++) {
            int c = text[j];
            if (c == 34) {
                quoted = !quoted;
                continue;
            }
            if (quoted)
                continue;
            if (c == 44) {
                if (field == wanted)
                    break;
                field++;
                continue;
            }
            if (field == wanted && c >= 48 && c <= 57)
                sum = sum * 10 + (c - 48);
        }
        number[i] = sum;
    }
}
