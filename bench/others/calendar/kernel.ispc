export void calendar(uniform int n, uniform const uint32 days[], uniform uint32 date[],
                     uniform uint8 weekday[])
{
    foreach (i = 0 ... n) {
        uint32 z = days[i];
        weekday[i] = (z + 3) % 7;
        z += 719468;
        uint32 era = z / 146097;
        uint32 doe = z - era * 146097;
        uint32 yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
        uint32 doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        uint32 mp = (5 * doy + 2) / 153;
        uint32 day = doy - (153 * mp + 2) / 5 + 1;
        uint32 year = yoe + era * 400, month;
        if (mp < 10)
            month = mp + 3;
        else {
            month = mp - 9;
            year++;
        }
        date[i] = year * 10000 + month * 100 + day;
    }
}
