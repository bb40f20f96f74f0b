kernel void amounts(uint n, global const uint *restrict start, global const uchar *restrict text,
                    global int *restrict cents)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int value = 0, negative = 0;
    uint end = start[i + 1];
    for (uint j = start[i]; j < end; j++) {
        uchar c = text[j];
        if (c == '-')
            negative = 1;
        else if (c != '.')
            value = 10 * value + c - '0';
    }
    cents[i] = negative ? -value : value;
}
