kernel void magnetic(uint side, global const float *restrict ex, global const float *restrict ey,
                     global const float *restrict ez, global float *restrict hx,
                     global float *restrict hy, global float *restrict hz)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= side || y >= side || z >= side)
        return;
    uint last = side - 1, row = side, plane = side * side, i = z * plane + y * row + x;
    if (y < last && z < last)
        hx[i] += 0.5f * ((ey[i + plane] - ey[i]) - (ez[i + row] - ez[i]));
    if (z < last && x < last)
        hy[i] += 0.5f * ((ez[i + 1] - ez[i]) - (ex[i + plane] - ex[i]));
    if (x < last && y < last)
        hz[i] += 0.5f * ((ex[i + row] - ex[i]) - (ey[i + 1] - ey[i]));
}

kernel void electric(uint side, global float *restrict ex, global float *restrict ey,
                     global float *restrict ez, global const float *restrict hx,
                     global const float *restrict hy, global const float *restrict hz)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= side || y >= side || z >= side)
        return;
    uint row = side, plane = side * side, i = z * plane + y * row + x;
    if (y > 0 && z > 0)
        ex[i] += 0.5f * ((hz[i] - hz[i - row]) - (hy[i] - hy[i - plane]));
    if (z > 0 && x > 0)
        ey[i] += 0.5f * ((hx[i] - hx[i - plane]) - (hz[i] - hz[i - 1]));
    if (x > 0 && y > 0)
        ez[i] += 0.5f * ((hy[i] - hy[i - 1]) - (hx[i] - hx[i - row]));
}
