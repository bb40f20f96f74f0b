export void sellcs(uniform int n, uniform const uint32 start[], uniform const uint32 col[],
                   uniform const float value[], uniform const uint32 order[],
                   uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        int slice = i >> 5;
        int end = start[slice + 1];
        float sum = 0.0f;
        for (int e = start[slice] + (i & 31); e < end; e += 32)
            sum += value[e] * x[col[e]];
        y[order[i]] = sum;
    }
}
