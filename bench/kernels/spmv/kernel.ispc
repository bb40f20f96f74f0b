export void spmv(uniform int n, uniform const uint32 row[], uniform const uint32 col[],
                 uniform const float value[], uniform const float x[], uniform float y[])
{
    foreach (r = 0 ... n) {
        float sum = 0.0f;
        for (int e = row[r]; e < row[r + 1]; e++)
            sum += value[e] * x[(int)col[e]];
        y[r] = sum;
    }
}
