export void spmm(uniform int items, uniform const uint32 row[], uniform const uint32 col[],
                 uniform const float value[], uniform const float b[], uniform float c[])
{
    foreach (i = 0 ... items) {
        int r = i / 8, j = i % 8;
        float sum = 0.0f;
        for (int e = row[r]; e < row[r + 1]; e++)
            sum += value[e] * b[(int)col[e] * 8 + j];
        c[i] = sum;
    }
}
