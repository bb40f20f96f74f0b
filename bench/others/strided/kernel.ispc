export void strided(uniform int n, uniform float a, uniform int stepx, uniform int stepy,
                    uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n)
        y[i * stepy] += a * x[i * stepx];
}
