kernel void bilinear(uint size, float cosine, float sine, global const float *restrict image,
                     global float *restrict out)
{
    uint i = get_global_id(0), j = get_global_id(1);
    if (i >= size || j >= size)
        return;
    float centre = 0.5f * size, limit = size - 1;
    float x = i - centre, y = j - centre;
    float u = cosine * x - sine * y + centre, v = sine * x + cosine * y + centre;
    float value = 0;
    if (u >= 0 && v >= 0 && u < limit && v < limit) {
        uint cu = (uint)u, cv = (uint)v, place = cv * size + cu;
        float p = u - cu, q = v - cv;
        float top = image[place] + p * (image[place + 1] - image[place]);
        place += size;
        float bottom = image[place] + p * (image[place + 1] - image[place]);
        value = top + q * (bottom - top);
    }
    out[j * size + i] = value;
}
