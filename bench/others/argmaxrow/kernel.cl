#define GROUP 128

kernel void argmaxrow(uint rows, uint columns, global const float *restrict x,
                      global uint *restrict place)
{
    local float value[GROUP];
    local uint where_[GROUP];
    uint l = get_local_id(0), row = get_group_id(0);
    float best = -INFINITY;
    uint at = 0xffffffff;
    for (uint k = l; k < columns; k += GROUP) {
        float found = x[row * columns + k];
        if (found > best) {
            best = found;
            at = k;
        }
    }
    value[l] = best;
    where_[l] = at;
    for (uint half_ = GROUP / 2; half_ > 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_) {
            float a = value[l], b = value[l + half_];
            uint p = where_[l], q = where_[l + half_];
            if (b > a || (b == a && q < p)) {
                value[l] = b;
                where_[l] = q;
            }
        }
    }
    if (l == 0)
        place[row] = where_[0];
}
