export void norm(uniform int lone, uniform int rows, uniform int columns, uniform int k,
                 uniform const float a[], uniform float r[])
{
    uniform float sum = 0.0f;
    for (uniform int j = 0; j < rows; j++)
        sum += a[j * columns + k] * a[j * columns + k];
    r[k * columns + k] = sqrt(sum);
}

export void scaled(uniform int rows, uniform int columns, uniform int k, uniform const float a[],
                   uniform const float r[], uniform float q[])
{
    foreach (i = 0 ... rows)
        q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

export void others(uniform int rows, uniform int columns, uniform int k, uniform float a[],
                   uniform float r[], uniform const float q[])
{
    foreach (j = k + 1 ... columns) {
        float sum = 0.0f;
        for (uniform int i = 0; i < rows; i++)
            sum += q[i * columns + k] * a[i * columns + j];
        r[k * columns + j] = sum;
        for (uniform int i = 0; i < rows; i++)
            a[i * columns + j] -= q[i * columns + k] * sum;
    }
}
