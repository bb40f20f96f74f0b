float collide(float f, float omega, float rho, float weight, float along, float slow)
{
    return f + omega * (weight * rho * (slow + along * (3.0f + 4.5f * along)) - f);
}

kernel void lbm(uint width, uint height, float omega, global const float *restrict f,
                global float *restrict g)
{
    int x = get_global_id(0), y = get_global_id(1), row = width + 2, plane = (height + 2) * row;
    if (x >= width || y >= height)
        return;
    int i = (y + 1) * row + x + 1;
    float c = f[i], e = f[plane + i - 1], w = f[2 * plane + i + 1], n = f[3 * plane + i - row];
    float s = f[4 * plane + i + row], ne = f[5 * plane + i - row - 1];
    float sw = f[6 * plane + i + row + 1], se = f[7 * plane + i + row - 1];
    float nw = f[8 * plane + i - row + 1];
    float rho = c + e + w + n + s + ne + sw + se + nw, inverse = 1.0f / rho;
    float u = (e - w + ne - sw + se - nw) * inverse, v = (n - s + ne - sw - se + nw) * inverse;
    float slow = 1.0f - 1.5f * (u * u + v * v);
    g[i] = collide(c, omega, rho, 0.444444444f, 0.0f, slow);
    g[plane + i] = collide(e, omega, rho, 0.111111111f, u, slow);
    g[2 * plane + i] = collide(w, omega, rho, 0.111111111f, -u, slow);
    g[3 * plane + i] = collide(n, omega, rho, 0.111111111f, v, slow);
    g[4 * plane + i] = collide(s, omega, rho, 0.111111111f, -v, slow);
    g[5 * plane + i] = collide(ne, omega, rho, 0.0277777778f, u + v, slow);
    g[6 * plane + i] = collide(sw, omega, rho, 0.0277777778f, -u - v, slow);
    g[7 * plane + i] = collide(se, omega, rho, 0.0277777778f, u - v, slow);
    g[8 * plane + i] = collide(nw, omega, rho, 0.0277777778f, v - u, slow);
}
