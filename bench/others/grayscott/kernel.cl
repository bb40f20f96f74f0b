kernel void grayscott(uint width, uint height, float feed, float kill,
                      global const float *restrict u, global const float *restrict v,
                      global float *restrict nu, global float *restrict nv)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    uint i = y * width + x, west = y * width + (x + width - 1) % width;
    uint east = y * width + (x + 1) % width, north = (y + height - 1) % height * width + x;
    uint south = (y + 1) % height * width + x;
    float a = u[i], b = v[i], product = a * b * b;
    nu[i] = a + 0.16f * (u[west] + u[east] + u[north] + u[south] - 4.0f * a) - product
            + feed * (1.0f - a);
    nv[i] = b + 0.08f * (v[west] + v[east] + v[north] + v[south] - 4.0f * b) + product
            - (feed + kill) * b;
}
