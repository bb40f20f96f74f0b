export void multipole(uniform int n, uniform const double energy[],
                      uniform const uint32 material[], uniform const uint32 first[],
                      uniform const uint32 many[], uniform const double pole[],
                      uniform double cross[])
{
    foreach (i = 0 ... n) {
        double e = energy[i];
        double root = sqrt(e);
        int m = material[i];
        double total = 0.0d;
        double absorbed = 0.0d;
        int window = first[m] + ((int)(e * (double)many[m]));
        for (uniform int k = 0; k < 12; k++) {
            int p = (window + k) * 6;
            double re = pole[p] - root;
            double im = pole[p + 1];
            double square = re * re + im * im;
            double cr = re / square;
            double ci = -im / square;
            total += pole[p + 2] * cr - pole[p + 3] * ci;
            absorbed += pole[p + 4] * cr - pole[p + 5] * ci;
        }
        cross[i * 2] = total / e;
        cross[i * 2 + 1] = absorbed / e;
    }
}
