export void decimal(uniform int n, uniform const uint32 number[], uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        uint32 left = number[i];
        int place = i * 12 + 12;
        do {
            place--;
            text[place] = 48 + left % 10;
            left /= 10;
        } while (left != 0);
    }
}
