export void wavefield(uniform int wide, uniform int high, uniform float speed,
                      uniform const float before[], uniform const float now[],
                      uniform float next[])
{
    for (uniform int y = 1; y < high - 1; y++) {
        foreach (x = 1 ... wide - 1) {
            int i = y * wide + x;
            float near = now[i - 1] + now[i + 1] + now[i - wide] + now[i + wide];
            next[i] = 2.0f * now[i] - before[i] + speed * (near - 4.0f * now[i]);
        }
    }
}
