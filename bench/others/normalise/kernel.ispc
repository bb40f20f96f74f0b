export void normalise(uniform int n, uniform float x[], uniform float y[], uniform float z[])
{
    foreach (i = 0 ... n) {
        float a = x[i], b = y[i], c = z[i];
        float length = sqrt(a * a + b * b + c * c);
        x[i] = a / length;
        y[i] = b / length;
        z[i] = c / length;
    }
}
