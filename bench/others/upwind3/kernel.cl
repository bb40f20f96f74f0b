kernel void upwind3(uint width, uint height, uint depth, double step,
                    global const double *restrict c, global const double *restrict u,
                    global const double *restrict v, global const double *restrict w,
                    global const uchar *restrict rock, global double *restrict new)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= width || y >= height || z >= depth)
        return;
    uint i = (z * height + y) * width + x, row = width + 2, plane = row * (height + 2);
    uint j = (z + 1) * plane + (y + 1) * row + x + 1;
    double here = c[j];
    if (!rock[i]) {
        double slope = u[i] > 0 ? u[i] * (here - c[j - 1]) : u[i] * (c[j + 1] - here);
        slope += v[i] > 0 ? v[i] * (here - c[j - row]) : v[i] * (c[j + row] - here);
        slope += w[i] > 0 ? w[i] * (here - c[j - plane]) : w[i] * (c[j + plane] - here);
        here -= step * slope;
    }
    new[i] = here;
}
