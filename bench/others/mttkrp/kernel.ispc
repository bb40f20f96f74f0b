export void mttkrp(uniform int rows, uniform int rank, uniform const uint32 first[],
                   uniform const uint32 second[], uniform const uint32 third[],
                   uniform const float value[], uniform const float b[], uniform const float c[],
                   uniform float a[])
{
    for (uniform int row = 0; row < rows; row++)
        foreach (r = 0 ... rank) {
            float sum = 0.0f;
            uint32 end = first[row + 1];
            for (uint32 k = first[row]; k < end; k++)
                sum += value[k] * b[second[k] * rank + r] * c[third[k] * rank + r];
            a[row * rank + r] = sum;
        }
}
