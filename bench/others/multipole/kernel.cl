kernel void multipole(uint n, global const double *restrict energy,
                      global const uint *restrict material, global const uint *restrict first,
                      global const uint *restrict many, global const double *restrict pole,
                      global double *restrict cross)
{
    if (get_global_id(0) >= n)
        return;
    uint i = get_global_id(0);
    double e = energy[i];
    double root = sqrt(e);
    uint m = material[i];
    double total = 0.0;
    double absorbed = 0.0;
    uint window = first[m] + ((uint)(e * (double)many[m]));
    for (uint k = 0; k < 12; k++) {
        uint p = (window + k) * 6;
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
