#define SIZE 256
#define QUARTER 64

export void fft4(uniform int n, uniform float re[], uniform float im[])
{
    for (uniform int first = 0; first < n; first += SIZE) {
        uniform float real[2][SIZE], imaginary[2][SIZE];
        foreach (l = 0 ... SIZE) {
            real[0][l] = re[first + l];
            imaginary[0][l] = im[first + l];
        }
        uniform int from = 0;
        for (uniform int size = 1; size < SIZE; size *= 4) {
            foreach (l = 0 ... QUARTER) {
                float r[4], i[4];
                int k = l & (size - 1);
                int to = 4 * (l - k) + k;
                float angle = -6.283185307f / 4.0f * (float)k / (float)size;
                r[0] = real[from][l];
                i[0] = imaginary[from][l];
                for (uniform int p = 1; p < 4; p++) {
                    float c = cos(angle * p), s = sin(angle * p);
                    float a = real[from][l + p * QUARTER], b = imaginary[from][l + p * QUARTER];
                    r[p] = a * c - b * s;
                    i[p] = a * s + b * c;
                }
                float ar = r[0] + r[2], ai = i[0] + i[2], br = r[0] - r[2], bi = i[0] - i[2];
                float cr = r[1] + r[3], ci = i[1] + i[3], dr = r[1] - r[3], di = i[1] - i[3];
                real[1 - from][to] = ar + cr;
                imaginary[1 - from][to] = ai + ci;
                real[1 - from][to + size] = br + di;
                imaginary[1 - from][to + size] = bi - dr;
                real[1 - from][to + 2 * size] = ar - cr;
                imaginary[1 - from][to + 2 * size] = ai - ci;
                real[1 - from][to + 3 * size] = br - di;
                imaginary[1 - from][to + 3 * size] = bi + dr;
            }
            from = 1 - from;
        }
        foreach (l = 0 ... SIZE) {
            re[first + l] = real[from][l];
            im[first + l] = imaginary[from][l];
        }
    }
}
