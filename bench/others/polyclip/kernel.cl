kernel void polyclip(uint n, global const float *restrict corner, global float *restrict area)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float point[2][9][2];
    for (uint k = 0; k < 3; k++) {
        point[0][k][0] = corner[2 * k * n + i];
        point[0][k][1] = corner[(2 * k + 1) * n + i];
    }
    uint points = 3;
    for (uint side = 0; side < 4; side++) {
        uint from = side & 1, kept = 0;
        for (uint k = 0; k < points; k++) {
            uint next = k + 1 == points ? 0 : k + 1;
            float x = point[from][k][0], y = point[from][k][1];
            float to_x = point[from][next][0], to_y = point[from][next][1];
            float d = side >= 2 ? y : x, e = side >= 2 ? to_y : to_x;
            if (side & 1) {
                d = -d;
                e = -e;
            }
            d = 1.0f - d;
            e = 1.0f - e;
            if (d >= 0.0f) {
                point[1 - from][kept][0] = x;
                point[1 - from][kept][1] = y;
                kept++;
            }
            if ((d >= 0.0f) != (e >= 0.0f)) {
                float t = d / (d - e);
                point[1 - from][kept][0] = x + t * (to_x - x);
                point[1 - from][kept][1] = y + t * (to_y - y);
                kept++;
            }
        }
        points = kept;
    }
    float sum = 0.0f;
    for (uint k = 0; k < points; k++) {
        uint next = k + 1 == points ? 0 : k + 1;
        sum += point[0][k][0] * point[0][next][1] - point[0][k][1] * point[0][next][0];
    }
    area[i] = 0.5f * fabs(sum);
}
