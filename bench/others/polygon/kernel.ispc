export void polygon(uniform int n, uniform int edges, uniform const float x[],
                    uniform const float y[], uniform const float px[], uniform const float py[],
                    uniform uint32 inside[])
{
    foreach (p = 0 ... n) {
        float ox = x[p], oy = y[p];
        bool c = false;
        uniform int j = edges - 1;
        for (uniform int i = 0; i < edges; i++) {
            if ((py[i] > oy) != (py[j] > oy)
                && ox < (px[j] - px[i]) * (oy - py[i]) / (py[j] - py[i]) + px[i])
                c = !c;
            j = i;
        }
        inside[p] = c ? 1 : 0;
    }
}
