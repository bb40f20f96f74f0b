kernel void csv(uint n, uint wanted, global const uint *restrict start,
                global const uchar *restrict text, global uint *restrict number)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint sum = 0, field = 0;
    bool quoted = false;
    for (uint j = start[i]; j < start[i + 1]; j++) {
        uchar c = text[j];
        if (c == '"') {
            quoted = !quoted;
            continue;
        }
        if (quoted)
            continue;
        if (c == ',') {
            if (field == wanted)
                break;
            field++;
            continue;
        }
        if (field == wanted && c >= '0' && c <= '9')
            sum = sum * 10 + (c - '0');
    }
    number[i] = sum;
}
