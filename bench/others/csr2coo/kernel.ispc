export void csr2coo(uniform int rows, uniform const uint32 start[], uniform uint32 row[])
{
    foreach (i = 0 ... rows) {
        int end = start[i + 1];
        for (int e = start[i]; e < end; e++)
            row[e] = i;
    }
}
