export void groupnorm(uniform int images, uniform int groups, uniform int channels, uniform int pixels,
                      uniform float epsilon, uniform const float x[], uniform const float scale[],
                      uniform const float shift[], uniform float y[])
{
    uniform int count = channels * pixels;
    for (uniform int g = 0; g < groups * images; g++) {
        uniform int first = g * count;
        float sum = 0.0f, square = 0.0f;
        foreach (i = 0 ... count) {
            float v = x[first + i];
            sum += v;
            square += v * v;
        }
        uniform float mean = reduce_add(sum) / count;
        uniform float factor = rsqrt(reduce_add(square) / count - mean * mean + epsilon);
        uniform int channel = g % groups * channels;
        for (uniform int c = 0; c < channels; c++) {
            foreach (i = 0 ... pixels) {
                uniform int at = first + c * pixels;
                y[at + i] = (x[at + i] - mean) * factor * scale[channel + c] + shift[channel + c];
            }
        }
    }
}
