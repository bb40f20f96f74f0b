export void amounts(uniform int n, uniform const uint32 start[], uniform const uint8 text[],
                    uniform int cents[])
{
    foreach (i = 0 ... n) {
        int value = 0;
        bool negative = false;
        int end = start[i + 1];
        for (int j = start[i]; j < end; j++) {
            int c = text[j];
            if (c == 45)
                negative = true;
            else if (c != 46)
                value = 10 * value + c - 48;
        }
        cents[i] = negative ? -value : value;
    }
}
