export void bisect(uniform int n, uniform float exact, uniform const float value[],
                   uniform float root[])
{
    foreach (i = 0 ... n) {
        float y = value[i];
        float below = 0.0f, above = 4.0f, x;
        do {
            x = (below + above) * 0.5f;
            if ((x * x + 1.0f) * x < y)
                below = x;
            else
                above = x;
        } while (above - below > above * exact);
        root[i] = x;
    }
}
