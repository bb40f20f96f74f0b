export void hotspot3d(uniform int nx, uniform int ny, uniform int nz, uniform float cc,
                      uniform float cw, uniform float cn, uniform float ct, uniform float step,
                      uniform const float power[], uniform const float t[], uniform float next[])
{
    uniform int layer = nx * ny;
    for (uniform int k = 0; k < nz; k++) {
        uniform int up = k == 0 ? 0 : -layer, down = k == nz - 1 ? 0 : layer;
        for (uniform int j = 0; j < ny; j++) {
            uniform int north = j == 0 ? 0 : -nx, south = j == ny - 1 ? 0 : nx;
            foreach (i = 0 ... nx) {
                int c = k * layer + j * nx + i;
                int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1;
                next[c] = cc * t[c] + cw * t[w] + cw * t[e] + cn * t[c + north] + cn * t[c + south]
                          + ct * t[c + up] + ct * t[c + down] + step * power[c];
            }
        }
    }
}
