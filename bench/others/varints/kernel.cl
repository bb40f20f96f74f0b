kernel void varints(uint n, global const uint *restrict start, global const uchar *restrict coded,
                    global uint *restrict sum)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint total = 0, number = 0, shift = 0;
    for (uint j = start[i]; j < start[i + 1]; j++) {
        uint byte = coded[j];
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
