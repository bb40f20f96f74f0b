kernel void timestamps(uint n, global const uchar *restrict text, global long *restrict seconds)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    global const uchar *t = text + i * 19;
    const uchar form[19] = "0000-00-00 00:00:00";
    uint field[6] = {0, 0, 0, 0, 0, 0}, k = 0;
    for (uint j = 0; j < 19; j++) {
        if (form[j] == '0') {
            uint digit = t[j] - '0';
            if (digit > 9) {
                seconds[i] = -1;
                return;
            }
            field[k] = field[k] * 10 + digit;
        } else {
            if (t[j] != form[j]) {
                seconds[i] = -1;
                return;
            }
            k++;
        }
    }
    uint year = field[0], month = field[1];
    if (month <= 2) {
        year--;
        month += 12;
    }
    uint era = year / 400, of = year % 400;
    uint day = of * 365 + of / 4 - of / 100 + ((month - 3) * 153 + 2) / 5 + field[2] - 1;
    int days = (int)(era * 146097 + day) - 719468;
    seconds[i] = days * 86400L + (field[3] * 60 + field[4]) * 60 + field[5];
}
