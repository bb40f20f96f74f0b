/* A row is a foreach; the least place among the lanes that have the largest number is the row's. */
export void argmaxrow(uniform int rows, uniform int columns, uniform const float x[],
                      uniform uint32 place[])
{
    for (uniform int row = 0; row < rows; row++) {
        float best = -1e30f;
        int at = 0x7fffffff;
        foreach (k = 0 ... columns) {
            float found = x[row * columns + k];
            if (found > best) {
                best = found;
                at = k;
            }
        }
        uniform float most = reduce_max(best);
        place[row] = reduce_min(best == most ? at : 0x7fffffff);
    }
}
