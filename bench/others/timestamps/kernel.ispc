static const uniform uint8 form[19] = {48, 48, 48, 48, 45, 48, 48, 45, 48, 48,
                                       32, 48, 48, 58, 48, 48, 58, 48, 48};

export void timestamps(uniform int n, uniform const uint8 text[], uniform int64 seconds[])
{
    foreach (i = 0 ... n) {
        uint32 field[6] = {0, 0, 0, 0, 0, 0};
        uniform int k = 0;
        bool good = true;
        for (uniform int j = 0; j < 19; j++) {
            uint32 c = text[i * 19 + j];
            if (form[j] == 48) {
                good = good && c - 48 <= 9;
                field[k] = field[k] * 10 + c - 48;
            } else {
                good = good && c == form[j];
                k++;
            }
        }
        int64 result = -1;
        if (good) {
            uint32 year = field[0], month = field[1];
            if (month <= 2) {
                year--;
                month += 12;
            }
            uint32 era = year / 400, of = year % 400;
            uint32 day = of * 365 + of / 4 - of / 100 + ((month - 3) * 153 + 2) / 5 + field[2] - 1;
            int days = (int)(era * 146097 + day) - 719468;
            result = days * (int64)86400 + (field[3] * 60 + field[4]) * 60 + field[5];
        }
        seconds[i] = result;
    }
}
