#define STEPS 16

export void mergecsr(uniform int items, uniform uint32 n, uniform uint32 entries,
                     uniform const uint32 end[], uniform const uint32 col[],
                     uniform const float value[], uniform const float x[], uniform float y[],
                     uniform uint32 carry_row[], uniform float carry[])
{
    foreach (i = 0 ... items) {
        int diagonal = i * STEPS;
        int low = max(diagonal - (int)entries, 0), high = min(diagonal, (int)n);
        while (low < high) {
            int middle = (low + high) >> 1;
            if ((int)end[middle] <= diagonal - middle - 1)
                low = middle + 1;
            else
                high = middle;
        }
        int row = low, entry = diagonal - low;
        float sum = 0.0f;
        for (uniform int step = 0; step < STEPS; step++) {
            if (row < (int)n) {
                if (entry < (int)end[row]) {
                    sum += value[entry] * x[col[entry]];
                    entry++;
                } else {
                    y[row] = sum;
                    row++;
                    sum = 0.0f;
                }
            }
        }
        carry_row[i] = row;
        carry[i] = sum;
    }
}

export void mergefix(uniform int items, uniform uint32 n, uniform float y[],
                     uniform const uint32 carry_row[], uniform const float carry[])
{
    foreach (i = 0 ... items) {
        uint32 row = carry_row[i];
        bool first = i == 0;
        if (i > 0)
            first = carry_row[i - 1] != row;
        if (row < n && first) {
            float sum = 0.0f;
            int k = i;
            do {
                sum += carry[k];
                k++;
            } while (k < items && carry_row[k] == row);
            y[row] += sum;
        }
    }
}
