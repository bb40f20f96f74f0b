kernel void wavefield(uint wide, uint high, float speed, global const float *restrict before,
                      global const float *restrict now, global float *restrict next)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || x >= wide - 1 || y == 0 || y >= high - 1)
        return;
    size_t i = (size_t)y * wide + x;
    float near = now[i - 1] + now[i + 1] + now[i - wide] + now[i + wide];
    next[i] = 2.0f * now[i] - before[i] + speed * (near - 4.0f * now[i]);
}
