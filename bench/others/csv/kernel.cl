kernel void csv(uint n, global const uint *restrict start, global const uchar *restrict text,
                global int *restrict third, global int *restrict total)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint place = start[i], field = 0;
    int number = 0, sum = 0, chosen = 0;
    bool negative = false;
    while (true) {
        uchar c = text[place];
        place++;
        if (c == '-')
            negative = true;
        else if (c == ',' || c == '\n') {
            if (negative)
                number = -number;
            sum += number;
            if (field == 2)
                chosen = number;
            if (c == '\n')
                break;
            field++;
            number = 0;
            negative = false;
        } else
            number = number * 10 + (c - '0');
    }
    third[i] = chosen;
    total[i] = sum;
}
