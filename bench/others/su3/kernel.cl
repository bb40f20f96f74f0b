#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void su3(uint n, global const double *restrict a, global const double *restrict b,
                global double *restrict c)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint way = 0; way < 4; way++) {
        for (uint row = 0; row < 3; row++) {
            for (uint column = 0; column < 3; column++) {
                double real = 0.0, imaginary = 0.0;
                for (uint k = 0; k < 3; k++) {
                    uint p = ((i * 4 + way) * 9 + row * 3 + k) * 2;
                    uint q = (way * 9 + k * 3 + column) * 2;
                    real += a[p] * b[q] - a[p + 1] * b[q + 1];
                    imaginary += a[p] * b[q + 1] + a[p + 1] * b[q];
                }
                uint r = ((i * 4 + way) * 9 + row * 3 + column) * 2;
                c[r] = real;
                c[r + 1] = imaginary;
            }
        }
    }
}
