#define HALF 256
#define SIZE 512

export void fft(uniform int n, uniform const float root[], uniform float re[], uniform float im[])
{
    for (uniform int first = 0; first < n; first += SIZE) {
        uniform float real[2][SIZE], imaginary[2][SIZE];
        foreach (l = 0 ... SIZE) {
            real[0][l] = re[first + l];
            imaginary[0][l] = im[first + l];
        }
        uniform int from = 0;
        for (uniform int size = 1; size < SIZE; size *= 2) {
            foreach (l = 0 ... HALF) {
                int k = l & (size - 1);
                int which = HALF / size * k;
                float ar = real[from][l], ai = imaginary[from][l];
                float br = real[from][l + HALF], bi = imaginary[from][l + HALF];
                float c = root[which], s = root[which + HALF];
                float tr = br * c - bi * s, ti = br * s + bi * c;
                int to = 2 * (l - k) + k;
                real[1 - from][to] = ar + tr;
                imaginary[1 - from][to] = ai + ti;
                real[1 - from][to + size] = ar - tr;
                imaginary[1 - from][to + size] = ai - ti;
            }
            from = 1 - from;
        }
        foreach (l = 0 ... SIZE) {
            re[first + l] = real[from][l];
            im[first + l] = imaginary[from][l];
        }
    }
}
