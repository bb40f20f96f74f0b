kernel void strided(uint n, float a, uint stepx, uint stepy, global const float *restrict x,
                    global float *restrict y)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i * stepy] += a * x[i * stepx];
}
