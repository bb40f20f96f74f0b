kernel void nasrand(uint n, uint pairs, global const double *restrict seed,
                    global uint *restrict count, global double *restrict sum)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double x = seed[i], total = 0.0;
    uint inside = 0;
    for (uint k = 0; k < pairs; k++) {
        double point_x = 0.0, point_y = 0.0;
        for (uint half_ = 0; half_ < 2; half_++) {
            double x1 = floor(x * 1.1920928955078125e-07);
            double x2 = x - 8388608.0 * x1;
            double t1 = 145.0 * x2 + 4354965.0 * x1;
            double t2 = floor(t1 * 1.1920928955078125e-07);
            double z = t1 - 8388608.0 * t2;
            double t3 = 8388608.0 * z + 4354965.0 * x2;
            double t4 = floor(t3 * 1.4210854715202004e-14);
            x = t3 - 70368744177664.0 * t4;
            point_x = point_y;
            point_y = 2.842170943040401e-14 * x - 1.0;
        }
        double t = point_x * point_x + point_y * point_y;
        if (t <= 1.0) {
            inside++;
            total += t;
        }
    }
    count[i] = inside;
    sum[i] = total;
}
