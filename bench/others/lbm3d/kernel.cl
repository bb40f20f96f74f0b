constant int CX[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
constant int CY[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
constant int CZ[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
constant uint OPPOSITE[19] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};
constant float WEIGHT[19] = {0.33333334f, 0.055555556f, 0.055555556f, 0.055555556f, 0.055555556f,
    0.055555556f, 0.055555556f, 0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f,
    0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f,
    0.027777778f, 0.027777778f};

kernel void lbm3d(uint nx, uint ny, uint nz, float omega, global const uchar *restrict solid,
                  global const float *restrict from, global float *restrict to)
{
    if (get_global_id(0) >= nx || get_global_id(1) >= ny || get_global_id(2) >= nz)
        return;
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    uint z = get_global_id(2);
    uint cells = nx * ny * nz;
    uint at = (z * ny + y) * nx + x;
    float f[19];
    float rho = 0.0f;
    float ux = 0.0f;
    float uy = 0.0f;
    float uz = 0.0f;
    for (uint q = 0; q < 19; q++) {
        int sx = (int)x - CX[q];
        int sy = (int)y - CY[q];
        int sz = (int)z - CZ[q];
        sx = sx < 0 ? sx + (int)nx : sx;
        sx = sx >= (int)nx ? sx - (int)nx : sx;
        sy = sy < 0 ? sy + (int)ny : sy;
        sy = sy >= (int)ny ? sy - (int)ny : sy;
        sz = sz < 0 ? sz + (int)nz : sz;
        sz = sz >= (int)nz ? sz - (int)nz : sz;
        uint source = ((uint)sz * ny + (uint)sy) * nx + (uint)sx;
        float v = from[q * cells + source];
        f[q] = v;
        rho += v;
        ux += v * (float)CX[q];
        uy += v * (float)CY[q];
        uz += v * (float)CZ[q];
    }
    if (solid[at] != 0) {
        for (uint q = 0; q < 19; q++)
            to[q * cells + at] = f[OPPOSITE[q]];
    } else {
        ux = ux / rho;
        uy = uy / rho;
        uz = uz / rho;
        float square = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
        for (uint q = 0; q < 19; q++) {
            float along = (float)CX[q] * ux + (float)CY[q] * uy + (float)CZ[q] * uz;
            float equal = WEIGHT[q] * rho * (square + 3.0f * along + 4.5f * along * along);
            to[q * cells + at] = f[q] + omega * (equal - f[q]);
        }
    }
}
