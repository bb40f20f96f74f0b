#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void trisolve(uint order, uint n, global const double *restrict lower,
                     global double *restrict x)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint row = 0; row < order; row++) {
        double sum = x[row * n + i];
        for (uint k = 0; k < row; k++)
            sum -= lower[row * order + k] * x[k * n + i];
        x[row * n + i] = sum / lower[row * order + row];
    }
}
