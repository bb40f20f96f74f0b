bool is_space(uchar c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

kernel void words(uint n, uint length, global const uchar *restrict text,
                  global uint *restrict count)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint starts = 0;
    bool after = i == 0 || is_space(text[i * length - 1]);
    for (uint j = i * length; j < (i + 1) * length; j++) {
        if (is_space(text[j]))
            after = true;
        else {
            if (after)
                starts++;
            after = false;
        }
    }
    count[i] = starts;
}
