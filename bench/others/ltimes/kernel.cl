kernel void ltimes(uint moments, uint groups, uint zones, uint directions,
                   global const float *restrict ell, global const float *restrict psi,
                   global float *restrict phi)
{
    uint m = get_global_id(0), g = get_global_id(1), z = get_global_id(2);
    if (m >= moments || g >= groups || z >= zones)
        return;
    uint row = z * groups + g;
    for (uint d = 0; d < directions; d++)
        phi[row * moments + m] += ell[d * moments + m] * psi[row * directions + d];
}
