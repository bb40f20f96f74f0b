kernel void maxpool(uint size, uint channels, global const float *restrict image,
                    global float *restrict largest)
{
    uint x = get_global_id(0), y = get_global_id(1), c = get_global_id(2), row = 2 * size;
    if (x >= size || y >= size || c >= channels)
        return;
    global const float *pixel = image + (c * size + y) * 2 * row + 2 * x;
    largest[(c * size + y) * size + x] =
        fmax(fmax(pixel[0], pixel[1]), fmax(pixel[row], pixel[row + 1]));
}
