export void nasrand(uniform int n, uniform int pairs, uniform const double seed[],
                    uniform uint32 count[], uniform double sum[])
{
    foreach (i = 0 ... n) {
        double x = seed[i], total = 0.0d;
        uint32 inside = 0;
        for (uniform uint32 k = 0; k < pairs; k++) {
            double point_x = 0.0d, point_y = 0.0d;
            for (uniform uint32 half_ = 0; half_ < 2; half_++) {
                double x1 = floor(x * 1.1920928955078125e-07d);
                double x2 = x - 8388608.0d * x1;
                double t1 = 145.0d * x2 + 4354965.0d * x1;
                double t2 = floor(t1 * 1.1920928955078125e-07d);
                double z = t1 - 8388608.0d * t2;
                double t3 = 8388608.0d * z + 4354965.0d * x2;
                double t4 = floor(t3 * 1.4210854715202004e-14d);
                x = t3 - 70368744177664.0d * t4;
                point_x = point_y;
                point_y = 2.842170943040401e-14d * x - 1.0d;
            }
            double t = point_x * point_x + point_y * point_y;
            if (t <= 1.0d) {
                inside++;
                total += t;
            }
        }
        count[i] = inside;
        sum[i] = total;
    }
}
