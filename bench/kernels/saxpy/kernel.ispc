export void saxpy(uniform float a, uniform int n, uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n)
        y[i] = a * x[i] + y[i];
}
