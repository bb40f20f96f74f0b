#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void diaspmv(uint n, uint diagonals, global const int *restrict offsets,
                    global const double *restrict values, global const double *restrict x,
                    global double *restrict y)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    double sum = 0.0;
    for (uint k = 0; k < diagonals; k++) {
        int at = i + offsets[k];
        if (at >= 0 && at < (int)n)
            sum += values[k * n + i] * x[at];
    }
    y[i] = sum;
}
