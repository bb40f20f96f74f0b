export void bytesmv(uniform int n, uniform int length, uniform const uint8 a[],
                    uniform const uint8 x[], uniform uint32 y[])
{
    foreach (i = 0 ... n) {
        uint32 sum = 0;
        for (uniform int j = 0; j < length; j++)
            sum += (uint32)a[i * length + j] * (uint32)x[j];
        y[i] = sum;
    }
}
