export void xoshiro(uniform int n, uniform int draws, uniform const uint64 seed[],
                    uniform double out[])
{
    foreach (i = 0 ... n) {
        uint64 a = seed[i * 4];
        uint64 b = seed[i * 4 + 1];
        uint64 c = seed[i * 4 + 2];
        uint64 d = seed[i * 4 + 3];
        uint32 inside = 0;
        double sum = 0.0d;
        for (uniform int k = 0; k < draws; k++) {
            double xy[2];
            for (uniform int half_ = 0; half_ < 2; half_++) {
                uint64 r = b * 5;
                r = (r << 7 | r >> 57) * 9;
                uint64 t = b << 17;
                c = c ^ a;
                d = d ^ b;
                b = b ^ c;
                a = a ^ d;
                c = c ^ t;
                d = d << 45 | d >> 19;
                xy[half_] = ((double)(r >> 11)) * 1.1102230246251565e-16d;
            }
            double square = xy[0] * xy[0] + xy[1] * xy[1];
            if (square < 1.0d) {
                inside++;
                sum += sqrt(1.0d - square);
            }
        }
        out[i * 2] = (double)inside;
        out[i * 2 + 1] = sum;
    }
}
