#define PARTICLES 100

struct Four {
    float x, y, z, w;
};

export void lavamd(uniform int boxes, uniform float a2, uniform const uint32 count[],
                   uniform const uint32 near[], uniform const Four place[],
                   uniform const float charge[], uniform Four force[])
{
    for (uniform int box = 0; box < boxes; box++)
        foreach (l = 0 ... PARTICLES) {
            int i = box * PARTICLES + l;
            float x = place[i].x, y = place[i].y, z = place[i].z, w = place[i].w;
            float fx = 0.0f, fy = 0.0f, fz = 0.0f, fw = 0.0f;
            for (uniform int k = 0; k < count[box]; k++) {
                uniform int first = near[box * 27 + k] * PARTICLES;
                for (uniform int j = first; j < first + PARTICLES; j++) {
                    uniform Four other = place[j];
                    float r2 = w + other.w - (x * other.x + y * other.y + z * other.z);
                    float v = charge[j] * exp(-(a2 * r2));
                    float size = 2.0f * v;
                    fw += v;
                    fx += size * (x - other.x);
                    fy += size * (y - other.y);
                    fz += size * (z - other.z);
                }
            }
            force[i].x = fx;
            force[i].y = fy;
            force[i].z = fz;
            force[i].w = fw;
        }
}
