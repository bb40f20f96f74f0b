kernel void calendar(uint n, global const uint *restrict days, global uint *restrict date,
                     global uchar *restrict weekday)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint z = days[i];
    weekday[i] = (z + 3) % 7;
    z += 719468;
    uint era = z / 146097, doe = z - era * 146097;
    uint yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    uint doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    uint mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1;
    uint year = yoe + era * 400, month;
    if (mp < 10)
        month = mp + 3;
    else {
        month = mp - 9;
        year++;
    }
    date[i] = year * 10000 + month * 100 + day;
}
