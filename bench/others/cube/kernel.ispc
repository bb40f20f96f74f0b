static inline float line(uniform const float now[], int cell, uniform float middle,
                         uniform float outer)
{
    return middle * now[cell] + outer * (now[cell - 1] + now[cell + 1]);
}

export void cube(uniform int n, uniform float own, uniform float face, uniform float edge,
                 uniform float corner, uniform const float now[], uniform float next[])
{
    uniform int row = n;
    uniform int plane = n * n;
    for (uniform int z = 1; z < n - 1; z++) {
        for (uniform int y = 1; y < n - 1; y++) {
            foreach (x = 1 ... n - 1) {
                int i = (z * n + y) * n + x;
                next[i] = line(now, i, own, face) + line(now, i - row, face, edge)
                          + line(now, i + row, face, edge) + line(now, i - plane, face, edge)
                          + line(now, i - plane - row, edge, corner)
                          + line(now, i - plane + row, edge, corner)
                          + line(now, i + plane, face, edge)
                          + line(now, i + plane - row, edge, corner)
                          + line(now, i + plane + row, edge, corner);
            }
        }
    }
}
