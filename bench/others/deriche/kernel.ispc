export void deriche(uniform int width, uniform int height, uniform const float x[],
                    uniform float y[])
{
    foreach (column = 0 ... width) {
        float near = 0.0f, far = 0.0f, one = 0.0f, two = 0.0f;
        for (uniform int row = 0; row < height; row++) {
            float value = x[row * width + column];
            float now = 0.2f * value - 0.1f * one + 1.2f * near - 0.4f * far;
            y[row * width + column] = now;
            far = near;
            near = now;
            one = value;
        }
        near = far = one = 0.0f;
        for (uniform int row = height - 1; row >= 0; row--) {
            float now = 0.15f * one - 0.05f * two + 1.2f * near - 0.4f * far;
            far = near;
            near = now;
            two = one;
            one = x[row * width + column];
            y[row * width + column] += now;
        }
    }
}
