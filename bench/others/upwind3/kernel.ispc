export void upwind3(uniform int width, uniform int height, uniform int depth, uniform double step,
                    uniform const double c[], uniform const double u[], uniform const double v[],
                    uniform const double w[], uniform const uint8 rock[], uniform double result[])
{
    uniform int row = width + 2, plane = (width + 2) * (height + 2);
    for (uniform int z = 0; z < depth; z++) {
        for (uniform int y = 0; y < height; y++) {
            foreach (x = 0 ... width) {
                int i = (z * height + y) * width + x;
                int j = (z + 1) * plane + (y + 1) * row + x + 1;
                double here = c[j];
                if (!rock[i]) {
                    double slope;
                    if (u[i] > 0)
                        slope = u[i] * (here - c[j - 1]);
                    else
                        slope = u[i] * (c[j + 1] - here);
                    if (v[i] > 0)
                        slope += v[i] * (here - c[j - row]);
                    else
                        slope += v[i] * (c[j + row] - here);
                    if (w[i] > 0)
                        slope += w[i] * (here - c[j - plane]);
                    else
                        slope += w[i] * (c[j + plane] - here);
                    here -= step * slope;
                }
                result[i] = here;
            }
        }
    }
}
