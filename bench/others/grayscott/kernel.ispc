export void grayscott(uniform int width, uniform int height, uniform float feed,
                      uniform float kill, uniform const float u[], uniform const float v[],
                      uniform float nu[], uniform float nv[])
{
    for (uniform int y = 0; y < height; y++) {
        uniform int above = (y + height - 1) % height * width, below = (y + 1) % height * width;
        foreach (x = 0 ... width) {
            int i = y * width + x, west = y * width + (x + width - 1) % width;
            int east = y * width + (x + 1) % width, north = above + x, south = below + x;
            float a = u[i], b = v[i];
            float product = a * b * b;
            nu[i] = a + 0.16f * (u[west] + u[east] + u[north] + u[south] - 4.0f * a) - product
                    + feed * (1.0f - a);
            nv[i] = b + 0.08f * (v[west] + v[east] + v[north] + v[south] - 4.0f * b) + product
                    - (feed + kill) * b;
        }
    }
}
