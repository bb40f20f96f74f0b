#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SIDE 6

kernel void givens(uint n, global double *restrict a)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double m[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        m[k] = a[k * n + i];
    for (int column = 0; column < SIDE; column++) {
        for (int row = column + 1; row < SIDE; row++) {
            double x = m[column * SIDE + column], y = m[row * SIDE + column];
            double size = sqrt(x * x + y * y), c = x / size, s = y / size;
            for (int k = 0; k < SIDE; k++) {
                double top = m[column * SIDE + k], low = m[row * SIDE + k];
                m[column * SIDE + k] = c * top + s * low;
                m[row * SIDE + k] = c * low - s * top;
            }
        }
    }
    for (int k = 0; k < SIDE * SIDE; k++)
        a[k * n + i] = m[k];
}
