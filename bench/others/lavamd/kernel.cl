#define PARTICLES 100

kernel void lavamd(uint boxes, float a2, global const uint *restrict count,
                   global const uint *restrict near, global const float4 *restrict places,
                   global const float *restrict charges, global float4 *restrict force)
{
    local float4 place[PARTICLES];
    local float charge[PARTICLES];
    uint l = get_local_id(0), box = get_group_id(0), i = get_global_id(0);
    float4 own = places[i], f = (float4)(0.0f);
    for (uint k = 0; k < count[box]; k++) {
        uint first = near[box * 27 + k] * PARTICLES;
        place[l] = places[first + l];
        charge[l] = charges[first + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < PARTICLES; j++) {
            float4 other = place[j];
            float r2 = own.w + other.w - (own.x * other.x + own.y * other.y + own.z * other.z);
            float v = charge[j] * exp(-(a2 * r2));
            float size = 2.0f * v;
            f.w += v;
            f.x += size * (own.x - other.x);
            f.y += size * (own.y - other.y);
            f.z += size * (own.z - other.z);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = f;
}
