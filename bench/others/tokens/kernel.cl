kernel void tokens(uint n, global const uint *restrict start, global const uchar *restrict text,
                   global uint *restrict count)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint found = 0, state = 0;
    for (uint j = start[i]; j < start[i + 1]; j++) {
        uchar c = text[j];
        if (state == 1)
            state = c == '\\' ? 2 : c == '"' ? 0 : 1;
        else if (state == 2)
            state = 1;
        else if (c == '"') {
            found++;
            state = 1;
        } else if (c == ' ' || c == '\t' || c == '\n')
            state = 0;
        else if (c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',') {
            found++;
            state = 0;
        } else if (state == 0) {
            found++;
            state = 3;
        }
    }
    count[i] = found;
}
