export void csrvector(uniform int rows, uniform const uint32 row[], uniform const uint32 col[],
                      uniform const float value[], uniform const float x[], uniform float y[])
{
    for (uniform int r = 0; r < rows; r++) {
        uniform int begin = row[r], end = row[r + 1];
        float sum = 0.0f;
        foreach (e = begin ... end)
            sum += value[e] * x[(int)col[e]];
        y[r] = reduce_add(sum);
    }
}
