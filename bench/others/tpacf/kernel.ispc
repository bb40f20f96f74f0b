#define BINS 20

export void tpacf(uniform int n, uniform const float edge[], uniform const float x[],
                  uniform const float y[], uniform const float z[], uniform uint32 bins[])
{
    foreach (i = 0 ... n) {
        float px = x[i], py = y[i], pz = z[i];
        for (int j = 0; j < i; j++) {
            float cosine = px * x[j] + py * y[j] + pz * z[j];
            int low = 0, high = BINS;
            while (high > low + 1) {
                int k = (low + high) / 2;
                if (cosine > edge[k])
                    high = k;
                else
                    low = k;
            }
            atomic_add_local(&bins[low], 1);
        }
    }
}
