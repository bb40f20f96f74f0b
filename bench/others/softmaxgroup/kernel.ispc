/* A row is three foreach loops; the library reduces across lanes. */
export void softmaxgroup(uniform int rows, uniform int columns, uniform const float x[],
                    uniform float y[])
{
    for (uniform int row = 0; row < rows; row++) {
        uniform const float *uniform from = x + row * columns;
        uniform float *uniform to = y + row * columns;
        float most = -1e30f;
        foreach (i = 0 ... columns)
            most = max(most, from[i]);
        uniform float largest = reduce_max(most);
        float total = 0.0f;
        foreach (i = 0 ... columns) {
            float power = exp((from[i] - largest) * 0.693147180559945f);
            total += power;
            to[i] = power;
        }
        uniform float sum = reduce_add(total);
        foreach (i = 0 ... columns)
            to[i] /= sum;
    }
}
