export void bnsums(uniform int rows, uniform int channels, uniform const float x[],
                   uniform const float dy[], uniform const float mean[],
                   uniform const float factor[], uniform float dscale[], uniform float dshift[])
{
    foreach (c = 0 ... channels) {
        float m = mean[c], f = factor[c], product = 0.0f, sum = 0.0f;
        for (uniform int row = 0; row < rows; row++) {
            float v = (x[row * channels + c] - m) * f, d = dy[row * channels + c];
            product += v * d;
            sum += d;
        }
        dscale[c] = product;
        dshift[c] = sum;
    }
}

export void bninput(uniform int rows, uniform int channels, uniform const float x[],
                    uniform const float dy[], uniform const float mean[],
                    uniform const float factor[], uniform const float scale[],
                    uniform const float dscale[], uniform const float dshift[],
                    uniform float dx[])
{
    for (uniform int row = 0; row < rows; row++) {
        foreach (c = 0 ... channels) {
            float v = (x[row * channels + c] - mean[c]) * factor[c];
            dx[row * channels + c] = (dy[row * channels + c] * rows - dshift[c] - v * dscale[c])
                                     * (scale[c] * factor[c] / rows);
        }
    }
}
