export void bilinear(uniform int size, uniform float cosine, uniform float sine,
                     uniform const float image[], uniform float out[])
{
    uniform float centre = 0.5f * size, limit = size - 1;
    foreach (j = 0 ... size, i = 0 ... size) {
        float x = i - centre, y = j - centre;
        float u = cosine * x - sine * y + centre, v = sine * x + cosine * y + centre;
        float value = 0;
        if (u >= 0 && v >= 0 && u < limit && v < limit) {
            int cu = (int)u, cv = (int)v;
            int place = cv * size + cu;
            float p = u - cu, q = v - cv;
            float top = image[place] + p * (image[place + 1] - image[place]);
            place += size;
            float bottom = image[place] + p * (image[place + 1] - image[place]);
            value = top + q * (bottom - top);
        }
        out[j * size + i] = value;
    }
}
