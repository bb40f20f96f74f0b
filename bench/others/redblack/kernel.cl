#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void redblack(uint n, uint colour, double omega, global double *grid)
{
    uint k = get_global_id(0), y = get_global_id(1) + 1;
    if (2 * k >= n || y > n)
        return;
    uint x = 2 * k + 1 + ((y + 1 + colour) & 1), row = n + 2, at = y * row + x;
    double around = grid[at - row] + grid[at + row] + grid[at - 1] + grid[at + 1];
    grid[at] += omega * (0.25 * around - grid[at]);
}
