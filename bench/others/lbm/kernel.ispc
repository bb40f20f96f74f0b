static inline float collide(float f, uniform float omega, float rho, uniform float weight,
                            float along, float slow)
{
    return f + omega * (weight * rho * (slow + along * (3.0f + 4.5f * along)) - f);
}

export void lbm(uniform int width, uniform int height, uniform float omega,
                uniform const float f[], uniform float g[])
{
    uniform int row = width + 2;
    uniform int plane = (height + 2) * row;
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            int i = (y + 1) * row + x + 1;
            float c = f[i], e = f[plane + i - 1], w = f[2 * plane + i + 1];
            float n = f[3 * plane + i - row], s = f[4 * plane + i + row];
            float ne = f[5 * plane + i - row - 1], sw = f[6 * plane + i + row + 1];
            float se = f[7 * plane + i + row - 1], nw = f[8 * plane + i - row + 1];
            float rho = c + e + w + n + s + ne + sw + se + nw;
            float inverse = 1.0f / rho;
            float u = (e - w + ne - sw + se - nw) * inverse;
            float v = (n - s + ne - sw - se + nw) * inverse;
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
    }
}
