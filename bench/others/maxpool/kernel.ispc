export void maxpool(uniform int size, uniform int channels, uniform const float image[],
                    uniform float largest[])
{
    uniform int row = 2 * size;
    for (uniform int c = 0; c < channels; c++) {
        for (uniform int y = 0; y < size; y++) {
            foreach (x = 0 ... size) {
                int i = (c * size + y) * 2 * row + 2 * x;
                largest[(c * size + y) * size + x] =
                    max(max(image[i], image[i + 1]), max(image[i + row], image[i + row + 1]));
            }
        }
    }
}
