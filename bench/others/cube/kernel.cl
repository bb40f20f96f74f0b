float line(global const float *cell, float middle, float outer)
{
    return middle * cell[0] + outer * (cell[-1] + cell[1]);
}

kernel void cube(uint n, float own, float face, float edge, float corner,
                 global const float *restrict now, global float *restrict next)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x == 0 || x >= n - 1 || y == 0 || y >= n - 1 || z == 0 || z >= n - 1)
        return;
    size_t row = n, plane = row * n, i = (z * n + y) * n + x;
    global const float *cell = now + i;
    next[i] = line(cell, own, face) + line(cell - row, face, edge) + line(cell + row, face, edge)
              + line(cell - plane, face, edge) + line(cell - plane - row, edge, corner)
              + line(cell - plane + row, edge, corner) + line(cell + plane, face, edge)
              + line(cell + plane - row, edge, corner) + line(cell + plane + row, edge, corner);
}
