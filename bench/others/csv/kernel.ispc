export void csv(uniform int n, uniform const uint32 start[], uniform const uint8 text[],
                uniform int third[], uniform int total[])
{
    foreach (i = 0 ... n) {
        int place = start[i], field = 0, number = 0, sum = 0, chosen = 0;
        bool negative = false;
        while (true) {
            int c = text[place];
            place++;
            if (c == 45)
                negative = true;
            else if (c == 44 || c == 10) {
                if (negative)
                    number = -number;
                sum += number;
                if (field == 2)
                    chosen = number;
                if (c == 10)
                    break;
                field++;
                number = 0;
                negative = false;
            } else
                number = number * 10 + (c - 48);
        }
        third[i] = chosen;
        total[i] = sum;
    }
}
