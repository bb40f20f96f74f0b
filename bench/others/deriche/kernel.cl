kernel void deriche(uint width, uint height, global const float *restrict x,
                    global float *restrict y)
{
    uint column = get_global_id(0);
    if (column >= width)
        return;
    float near = 0.0f, far = 0.0f, one = 0.0f, two = 0.0f;
    for (uint row = 0; row < height; row++) {
        float value = x[row * width + column];
        float now = 0.2f * value - 0.1f * one + 1.2f * near - 0.4f * far;
        y[row * width + column] = now;
        far = near;
        near = now;
        one = value;
    }
    near = far = one = 0.0f;
    for (uint row = height; row-- > 0;) {
        float now = 0.15f * one - 0.05f * two + 1.2f * near - 0.4f * far;
        far = near;
        near = now;
        two = one;
        one = x[row * width + column];
        y[row * width + column] += now;
    }
}
