#define SIZE 64
#define QUARTER 16

/* The work-items of a transform are a foreach; a barrier is its end. */
export void fft64(uniform int batch, uniform const float root[], uniform const float x[],
                  uniform float y[])
{
    for (uniform int which = 0; which < batch; which++) {
        uniform float real[2][SIZE], imaginary[2][SIZE];
        foreach (i = 0 ... SIZE) {
            real[0][i] = x[2 * (which * SIZE + i)];
            imaginary[0][i] = x[2 * (which * SIZE + i) + 1];
        }
        uniform int from = 0;
        for (uniform int p = 1; p < SIZE; p *= 4) {
            foreach (t = 0 ... QUARTER) {
                int k = t & (p - 1);
                int w = QUARTER / p * k;
                float re[4], im[4];
                for (uniform int r = 0; r < 4; r++) {
                    float a = real[from][t + r * QUARTER], b = imaginary[from][t + r * QUARTER];
                    int at = 2 * (r * w & (SIZE - 1));
                    float c = root[at], s = root[at + 1];
                    re[r] = a * c - b * s;
                    im[r] = a * s + b * c;
                }
                float sr = re[0] + re[2], si = im[0] + im[2];
                float dr = re[0] - re[2], di = im[0] - im[2];
                float er = re[1] + re[3], ei = im[1] + im[3];
                float fr = re[1] - re[3], fi = im[1] - im[3];
                int j = 4 * (t - k) + k;
                real[1 - from][j] = sr + er;
                imaginary[1 - from][j] = si + ei;
                real[1 - from][j + p] = dr + fi;
                imaginary[1 - from][j + p] = di - fr;
                real[1 - from][j + 2 * p] = sr - er;
                imaginary[1 - from][j + 2 * p] = si - ei;
                real[1 - from][j + 3 * p] = dr - fi;
                imaginary[1 - from][j + 3 * p] = di + fr;
            }
            from = 1 - from;
        }
        foreach (i = 0 ... SIZE) {
            y[2 * (which * SIZE + i)] = real[from][i];
            y[2 * (which * SIZE + i) + 1] = imaginary[from][i];
        }
    }
}
