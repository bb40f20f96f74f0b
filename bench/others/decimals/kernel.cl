kernel void decimals(uint n, global const uint *restrict number, global uchar *restrict text)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uchar digit[10];
    uint rest = number[i], digits = 0;
    do {
        digit[digits++] = '0' + rest % 10;
        rest /= 10;
    } while (rest);
    for (uint k = 0; k < 10; k++)
        text[10 * i + k] = digits ? digit[--digits] : ' ';
}
