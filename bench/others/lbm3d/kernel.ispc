static const uniform int CX[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const uniform int CY[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const uniform int CZ[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
static const uniform uint32 OPPOSITE[19] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16,
    15, 18, 17};
static const uniform float WEIGHT[19] = {0.33333334f, 0.055555556f, 0.055555556f, 0.055555556f,
    0.055555556f, 0.055555556f, 0.055555556f, 0.027777778f, 0.027777778f, 0.027777778f,
    0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f,
    0.027777778f, 0.027777778f, 0.027777778f};

export void lbm3d(uniform int nx, uniform int ny, uniform int nz, uniform float omega,
                  uniform const uint8 solid[], uniform const float from[], uniform float to[])
{
    foreach (z = 0 ... nz, y = 0 ... ny, x = 0 ... nx) {
        uniform int cells = nx * ny * nz;
        int at = (z * ny + y) * nx + x;
        float f[19];
        float rho = 0.0f;
        float ux = 0.0f;
        float uy = 0.0f;
        float uz = 0.0f;
        for (int q = 0; q < 19; q++) {
            int sx = (int)x - CX[q];
            int sy = (int)y - CY[q];
            int sz = (int)z - CZ[q];
            sx = sx < 0 ? sx + (int)nx : sx;
            sx = sx >= (int)nx ? sx - (int)nx : sx;
            sy = sy < 0 ? sy + (int)ny : sy;
            sy = sy >= (int)ny ? sy - (int)ny : sy;
            sz = sz < 0 ? sz + (int)nz : sz;
            sz = sz >= (int)nz ? sz - (int)nz : sz;
            int source = ((int)sz * ny + (int)sy) * nx + (int)sx;
            float v = from[q * cells + source];
            f[q] = v;
            rho += v;
            ux += v * (float)CX[q];
            uy += v * (float)CY[q];
            uz += v * (float)CZ[q];
        }
        if ((uint32)solid[at] != 0) {
            for (int q = 0; q < 19; q++)
                to[q * cells + at] = f[OPPOSITE[q]];
        } else {
            ux = ux / rho;
            uy = uy / rho;
            uz = uz / rho;
            float square = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
            for (int q = 0; q < 19; q++) {
                float along = (float)CX[q] * ux + (float)CY[q] * uy + (float)CZ[q] * uz;
                float equal = WEIGHT[q] * rho * (square + 3.0f * along + 4.5f * along * along);
                to[q * cells + at] = f[q] + omega * (equal - f[q]);
            }
        }
    }
}
