typedef struct {
    float density, mx, my, mz, energy, pressure, speeds, xx, xy, xz, yy, yz, zz, ex, ey, ez;
} Cell;

Cell cell(uint n, global const float *state, uint i)
{
    Cell c;
    c.density = state[i];
    c.mx = state[n + i];
    c.my = state[2 * n + i];
    c.mz = state[3 * n + i];
    c.energy = state[4 * n + i];
    float vx = c.mx / c.density, vy = c.my / c.density, vz = c.mz / c.density;
    float squared = vx * vx + vy * vy + vz * vz;
    c.pressure = 0.4f * (c.energy - 0.5f * c.density * squared);
    c.speeds = sqrt(squared) + sqrt(1.4f * c.pressure / c.density);
    c.xx = vx * c.mx + c.pressure;
    c.xy = vx * c.my;
    c.xz = vx * c.mz;
    c.yy = vy * c.my + c.pressure;
    c.yz = vy * c.mz;
    c.zz = vz * c.mz + c.pressure;
    float work = c.energy + c.pressure;
    c.ex = vx * work;
    c.ey = vy * work;
    c.ez = vz * work;
    return c;
}

kernel void euler(uint n, global const float *restrict far, global const int *restrict near,
                  global const float *restrict normal, global const float *restrict state,
                  global float *restrict flux)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    Cell own = cell(n, state, i);
    float density = 0.0f, mx = 0.0f, my = 0.0f, mz = 0.0f, energy = 0.0f;
    for (uint side = 0; side < 4; side++) {
        int neighbour = near[side * n + i];
        float x = normal[side * n + i], y = normal[(4 + side) * n + i], z = normal[(8 + side) * n + i];
        float hx = 0.5f * x, hy = 0.5f * y, hz = 0.5f * z;
        if (neighbour >= 0) {
            Cell c = cell(n, state, neighbour);
            float factor = -sqrt(x * x + y * y + z * z) * 0.2f * 0.5f * (own.speeds + c.speeds);
            density += factor * (own.density - c.density);
            mx += factor * (own.mx - c.mx);
            my += factor * (own.my - c.my);
            mz += factor * (own.mz - c.mz);
            energy += factor * (own.energy - c.energy);
            density += hx * (c.mx + own.mx) + hy * (c.my + own.my) + hz * (c.mz + own.mz);
            energy += hx * (c.ex + own.ex) + hy * (c.ey + own.ey) + hz * (c.ez + own.ez);
            mx += hx * (c.xx + own.xx) + hy * (c.xy + own.xy) + hz * (c.xz + own.xz);
            my += hx * (c.xy + own.xy) + hy * (c.yy + own.yy) + hz * (c.yz + own.yz);
            mz += hx * (c.xz + own.xz) + hy * (c.yz + own.yz) + hz * (c.zz + own.zz);
        } else if (neighbour == -1) {
            mx += x * own.pressure;
            my += y * own.pressure;
            mz += z * own.pressure;
        } else {
            density += hx * (far[1] + own.mx) + hy * (far[2] + own.my) + hz * (far[3] + own.mz);
            energy += hx * (far[14] + own.ex) + hy * (far[15] + own.ey) + hz * (far[16] + own.ez);
            mx += hx * (far[5] + own.xx) + hy * (far[8] + own.xy) + hz * (far[11] + own.xz);
            my += hx * (far[6] + own.xy) + hy * (far[9] + own.yy) + hz * (far[12] + own.yz);
            mz += hx * (far[7] + own.xz) + hy * (far[10] + own.yz) + hz * (far[13] + own.zz);
        }
    }
    flux[i] = density;
    flux[n + i] = mx;
    flux[2 * n + i] = my;
    flux[3 * n + i] = mz;
    flux[4 * n + i] = energy;
}
