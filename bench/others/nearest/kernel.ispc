export void nearest(uniform int n, uniform int points, uniform const float x[],
                    uniform const float y[], uniform const float qx[], uniform const float qy[],
                    uniform uint32 nearest[])
{
    foreach (i = 0 ... n) {
        float ox = qx[i], oy = qy[i];
        float least = 1e30f;
        uint32 found = 0;
        for (uniform int j = 0; j < points; j++) {
            float dx = ox - x[j], dy = oy - y[j];
            float square = dx * dx + dy * dy;
            if (square < least) {
                least = square;
                found = j;
            }
        }
        nearest[i] = found;
    }
}
