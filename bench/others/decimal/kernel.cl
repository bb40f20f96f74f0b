kernel void decimal(uint n, global const uint *restrict number, global uchar *restrict text)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint left = number[i], place = i * 12 + 12;
    do {
        place--;
        text[place] = '0' + left % 10;
        left /= 10;
    } while (left != 0);
}
