#define N 256
#define LEVELS 7

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void cyclic(uniform int systems, uniform const float ga[], uniform const float gb[],
                   uniform const float gc[], uniform const float gd[], uniform float gx[])
{
    for (uniform int system = 0; system < systems; system++) {
        uniform float a[N], b[N], c[N], d[N], x[N];
        foreach (i = 0 ... N) {
            a[i] = ga[system * N + i];
            b[i] = gb[system * N + i];
            c[i] = gc[system * N + i];
            d[i] = gd[system * N + i];
        }
        uniform int stride = 1, count = N / 2;
        for (uniform int level = 0; level < LEVELS; level++) {
            uniform int delta = stride;
            stride *= 2;
            foreach (item = 0 ... count) {
                int i = stride * item + stride - 1;
                int left = i - delta, right = min(i + delta, N - 1);
                float k1 = a[i] / b[left], k2 = c[i] / b[right];
                b[i] = b[i] - c[left] * k1 - a[right] * k2;
                d[i] = d[i] - d[left] * k1 - d[right] * k2;
                a[i] = -a[left] * k1;
                c[i] = -c[right] * k2;
            }
            count /= 2;
        }
        uniform int one = stride - 1, two = 2 * stride - 1;
        uniform float determinant = b[two] * b[one] - c[one] * a[two];
        x[one] = (b[two] * d[one] - c[one] * d[two]) / determinant;
        x[two] = (d[two] * b[one] - d[one] * a[two]) / determinant;
        count = 2;
        for (uniform int level = 0; level < LEVELS; level++) {
            uniform int delta = stride / 2;
            foreach (item = 0 ... count) {
                int i = stride * item + delta - 1;
                float right = d[i] - c[i] * x[i + delta];
                if (i >= delta)
                    right -= a[i] * x[i - delta];
                x[i] = right / b[i];
            }
            stride = delta;
            count *= 2;
        }
        foreach (i = 0 ... N)
            gx[system * N + i] = x[i];
    }
}
