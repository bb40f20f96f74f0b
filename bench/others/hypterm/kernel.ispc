export void hypterm(uniform int nx, uniform int ny, uniform int nz, uniform const float q[],
                    uniform const float u[], uniform float flux[])
{
    for (uniform int z = 0; z < nz; z++)
        for (uniform int y = 0; y < ny; y++)
            foreach (x = 0 ... nx) {
                uint32 wide = nx + 8;
                uint32 plane = wide * (ny + 8);
                uint32 at = (z + 4) * plane + (y + 4) * wide + x + 4;
                uint32 w2 = wide * 2, w3 = wide * 3, w4 = wide * 4;
                uint32 p2 = plane * 2, p3 = plane * 3, p4 = plane * 4;
                float sum = 0.0f;
                sum -= 0.8f * (q[at + 1] * u[at + 1] - q[at - 1] * u[at - 1]);
                sum += 0.2f * (q[at + 2] * u[at + 2] - q[at - 2] * u[at - 2]);
                sum -= 0.0380952f * (q[at + 3] * u[at + 3] - q[at - 3] * u[at - 3]);
                sum += 0.0035714f * (q[at + 4] * u[at + 4] - q[at - 4] * u[at - 4]);
                sum -= 0.8f * (q[at + wide] * u[at + wide] - q[at - wide] * u[at - wide]);
                sum += 0.2f * (q[at + w2] * u[at + w2] - q[at - w2] * u[at - w2]);
                sum -= 0.0380952f * (q[at + w3] * u[at + w3] - q[at - w3] * u[at - w3]);
                sum += 0.0035714f * (q[at + w4] * u[at + w4] - q[at - w4] * u[at - w4]);
                sum -= 0.8f * (q[at + plane] * u[at + plane] - q[at - plane] * u[at - plane]);
                sum += 0.2f * (q[at + p2] * u[at + p2] - q[at - p2] * u[at - p2]);
                sum -= 0.0380952f * (q[at + p3] * u[at + p3] - q[at - p3] * u[at - p3]);
                sum += 0.0035714f * (q[at + p4] * u[at + p4] - q[at - p4] * u[at - p4]);
                flux[(z * ny + y) * nx + x] = sum;
            }
}
