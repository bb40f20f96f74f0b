#define BINS 20

export void tpacf(uniform int n, uniform const float x[], uniform const float y[],
                  uniform const float z[], uniform const float edge[], uniform uint32 count[])
{
    foreach (i = 0 ... n) {
        float xi = x[i], yi = y[i], zi = z[i];
        for (int j = 0; j < i; j++) {
            float dot = xi * x[j] + yi * y[j] + zi * z[j];
            int low = 0, high = BINS;
            while (low < high) {
                int middle = (low + high) / 2;
                if (dot >= edge[middle])
                    high = middle;
                else
                    low = middle + 1;
            }
            atomic_add_local(&count[low], 1);
        }
    }
}
