kernel void xoshiro(uint n, uint draws, global const ulong *restrict seed,
                    global double *restrict out)
{
    if (get_global_id(0) >= n)
        return;
    uint i = get_global_id(0);
    ulong a = seed[i * 4];
    ulong b = seed[i * 4 + 1];
    ulong c = seed[i * 4 + 2];
    ulong d = seed[i * 4 + 3];
    uint inside = 0;
    double sum = 0.0;
    for (uint k = 0; k < draws; k++) {
        double xy[2];
        for (uint half_ = 0; half_ < 2; half_++) {
            ulong r = b * 5;
            r = (r << 7 | r >> 57) * 9;
            ulong t = b << 17;
            c = c ^ a;
            d = d ^ b;
            b = b ^ c;
            a = a ^ d;
            c = c ^ t;
            d = d << 45 | d >> 19;
            xy[half_] = ((double)(r >> 11)) * 1.1102230246251565e-16;
        }
        double square = xy[0] * xy[0] + xy[1] * xy[1];
        if (square < 1.0) {
            inside++;
            sum += sqrt(1.0 - square);
        }
    }
    out[i * 2] = (double)inside;
    out[i * 2 + 1] = sum;
}
