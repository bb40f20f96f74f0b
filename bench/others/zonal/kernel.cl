#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void zonal(uint n, uint line, uint plane, global const uint *restrict zones,
                  global const double *restrict x, global double *restrict zonal)
{
    uint l = get_global_id(0);
    if (l >= n)
        return;
    uint i = zones[l];
    zonal[i] = 0.125 * (x[i] + x[i + 1] + x[i + line] + x[i + line + 1] + x[i + plane] + x[i + plane + 1]
                        + x[i + plane + line] + x[i + plane + line + 1]);
}
