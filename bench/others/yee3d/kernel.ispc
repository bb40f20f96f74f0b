export void magnetic(uniform int side, uniform const float ex[], uniform const float ey[],
                     uniform const float ez[], uniform float hx[], uniform float hy[],
                     uniform float hz[])
{
    uniform int last = side - 1, row = side, plane = side * side;
    foreach (z = 0 ... side, y = 0 ... side, x = 0 ... side) {
        int i = z * plane + y * row + x;
        if (y < last && z < last)
            hx[i] += 0.5f * ((ey[i + plane] - ey[i]) - (ez[i + row] - ez[i]));
        if (z < last && x < last)
            hy[i] += 0.5f * ((ez[i + 1] - ez[i]) - (ex[i + plane] - ex[i]));
        if (x < last && y < last)
            hz[i] += 0.5f * ((ex[i + row] - ex[i]) - (ey[i + 1] - ey[i]));
    }
}

export void electric(uniform int side, uniform float ex[], uniform float ey[], uniform float ez[],
                     uniform const float hx[], uniform const float hy[], uniform const float hz[])
{
    uniform int row = side, plane = side * side;
    foreach (z = 0 ... side, y = 0 ... side, x = 0 ... side) {
        int i = z * plane + y * row + x;
        if (y > 0 && z > 0)
            ex[i] += 0.5f * ((hz[i] - hz[i - row]) - (hy[i] - hy[i - plane]));
        if (z > 0 && x > 0)
            ey[i] += 0.5f * ((hx[i] - hx[i - plane]) - (hz[i] - hz[i - 1]));
        if (x > 0 && y > 0)
            ez[i] += 0.5f * ((hy[i] - hy[i - 1]) - (hx[i] - hx[i - row]));
    }
}
