#define LENGTH 32

kernel void dtw(uint n, global const float *restrict a, global const float *restrict b,
                global float *restrict distance_)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float row[LENGTH + 1];
    row[0] = 0.0f;
    for (uint j = 1; j <= LENGTH; j++)
        row[j] = INFINITY;
    for (uint k = 0; k < LENGTH; k++) {
        float value = a[k * n + i], corner = row[0];
        row[0] = INFINITY;
        for (uint j = 1; j <= LENGTH; j++) {
            float above = row[j];
            row[j] = fabs(value - b[(j - 1) * n + i]) + fmin(fmin(corner, above), row[j - 1]);
            corner = above;
        }
    }
    distance_[i] = row[LENGTH];
}
