kernel void stress6(uint n, global const double *restrict stiffness,
                    global const double *restrict strain, global double *restrict stress)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    for (int r = 0; r < 6; r++) {
        double sum = 0.0;
        for (int k = 0; k < 6; k++)
            sum += stiffness[r * 6 + k] * strain[i * 6 + k];
        stress[i * 6 + r] = sum;
    }
}
