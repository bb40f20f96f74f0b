#define GROUP 128

kernel void groupnorm(uint images, uint groups, uint channels, uint pixels, float epsilon,
                      global const float *restrict x, global const float *restrict scale,
                      global const float *restrict shift, global float *restrict y)
{
    local float sums[GROUP], squares[GROUP];
    uint l = get_local_id(0), count = channels * pixels, first = get_group_id(0) * count;
    float sum = 0.0f, square = 0.0f;
    for (uint i = l; i < count; i += GROUP) {
        float v = x[first + i];
        sum += v;
        square += v * v;
    }
    sums[l] = sum;
    squares[l] = square;
    for (uint half_ = GROUP / 2; half_ != 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_) {
            sums[l] += sums[l + half_];
            squares[l] += squares[l + half_];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float mean = sums[0] / count;
    float factor = rsqrt(squares[0] / count - mean * mean + epsilon);
    uint channel = get_group_id(0) % groups * channels;
    for (uint i = l; i < count; i += GROUP) {
        uint c = channel + i / pixels;
        y[first + i] = (x[first + i] - mean) * factor * scale[c] + shift[c];
    }
}
