#define N 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void pcr(uniform int systems, uniform const float lower[], uniform const float middle[],
                uniform const float upper[], uniform const float right[], uniform float x[])
{
    for (uniform int system = 0; system < systems; system++) {
        uniform float a[N], b[N], c[N], d[N], na[N], nb[N], nc[N], nd[N];
        uniform int first = system * N;
        foreach (l = 0 ... N) {
            a[l] = lower[first + l];
            b[l] = middle[first + l];
            c[l] = upper[first + l];
            d[l] = right[first + l];
        }
        for (uniform int step = 1; step < N; step *= 2) {
            foreach (l = 0 ... N) {
                float ra = 0, rb = b[l], rc = 0, rd = d[l];
                if (l >= step) {
                    float k = a[l] / b[l - step];
                    ra = -a[l - step] * k;
                    rb -= c[l - step] * k;
                    rd -= d[l - step] * k;
                }
                if (l + step < N) {
                    float k = c[l] / b[l + step];
                    rc = -c[l + step] * k;
                    rb -= a[l + step] * k;
                    rd -= d[l + step] * k;
                }
                na[l] = ra;
                nb[l] = rb;
                nc[l] = rc;
                nd[l] = rd;
            }
            foreach (l = 0 ... N) {
                a[l] = na[l];
                b[l] = nb[l];
                c[l] = nc[l];
                d[l] = nd[l];
            }
        }
        foreach (l = 0 ... N)
            x[first + l] = d[l] / b[l];
    }
}
