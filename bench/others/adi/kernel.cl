#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void column_sweep(uint n, double a, double b, global double *u, global double *v,
                         global double *p, global double *q)
{
    uint i = get_global_id(0) + 1;
    if (i >= n - 1)
        return;
    v[i] = 1.0;
    p[i * n] = 0.0;
    q[i * n] = 1.0;
    for (uint j = 1; j < n - 1; j++) {
        double below = a * p[i * n + j - 1] + b;
        p[i * n + j] = -a / below;
        q[i * n + j] = (-a * u[j * n + i - 1] + (1.0 + 2.0 * a) * u[j * n + i] - a * u[j * n + i + 1]
                        - a * q[i * n + j - 1]) / below;
    }
    v[(n - 1) * n + i] = 1.0;
    for (uint j = n - 2; j >= 1; j--)
        v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
}

kernel void row_sweep(uint n, double a, double b, global double *u, global double *v,
                      global double *p, global double *q)
{
    uint i = get_global_id(0) + 1;
    if (i >= n - 1)
        return;
    u[i * n] = 1.0;
    p[i * n] = 0.0;
    q[i * n] = 1.0;
    for (uint j = 1; j < n - 1; j++) {
        double below = a * p[i * n + j - 1] + b;
        p[i * n + j] = -a / below;
        q[i * n + j] = (-a * v[(i - 1) * n + j] + (1.0 + 2.0 * a) * v[i * n + j] - a * v[(i + 1) * n + j]
                        - a * q[i * n + j - 1]) / below;
    }
    u[i * n + n - 1] = 1.0;
    for (uint j = n - 2; j >= 1; j--)
        u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
}
