kernel void csr2coo(uint rows, global const uint *restrict start, global uint *restrict row)
{
    uint i = get_global_id(0);
    if (i >= rows)
        return;
    uint end = start[i + 1];
    for (uint e = start[i]; e < end; e++)
        row[e] = i;
}
