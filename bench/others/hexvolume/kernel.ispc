export void hexvolume(uniform int n, uniform const uint32 corner[], uniform const double x[],
                      uniform const double y[], uniform const double z[], uniform double volume[])
{
    foreach (i = 0 ... n) {
        int n0 = corner[i * 8], n1 = corner[i * 8 + 1], n2 = corner[i * 8 + 2];
        int n3 = corner[i * 8 + 3], n4 = corner[i * 8 + 4], n5 = corner[i * 8 + 5];
        int n6 = corner[i * 8 + 6], n7 = corner[i * 8 + 7];
        double dx61 = x[n6] - x[n1], dy61 = y[n6] - y[n1], dz61 = z[n6] - z[n1];
        double dx70 = x[n7] - x[n0], dy70 = y[n7] - y[n0], dz70 = z[n7] - z[n0];
        double dx63 = x[n6] - x[n3], dy63 = y[n6] - y[n3], dz63 = z[n6] - z[n3];
        double dx20 = x[n2] - x[n0], dy20 = y[n2] - y[n0], dz20 = z[n2] - z[n0];
        double dx50 = x[n5] - x[n0], dy50 = y[n5] - y[n0], dz50 = z[n5] - z[n0];
        double dx64 = x[n6] - x[n4], dy64 = y[n6] - y[n4], dz64 = z[n6] - z[n4];
        double dx31 = x[n3] - x[n1], dy31 = y[n3] - y[n1], dz31 = z[n3] - z[n1];
        double dx72 = x[n7] - x[n2], dy72 = y[n7] - y[n2], dz72 = z[n7] - z[n2];
        double dx43 = x[n4] - x[n3], dy43 = y[n4] - y[n3], dz43 = z[n4] - z[n3];
        double dx57 = x[n5] - x[n7], dy57 = y[n5] - y[n7], dz57 = z[n5] - z[n7];
        double dx14 = x[n1] - x[n4], dy14 = y[n1] - y[n4], dz14 = z[n1] - z[n4];
        double dx25 = x[n2] - x[n5], dy25 = y[n2] - y[n5], dz25 = z[n2] - z[n5];
        double ax = dx31 + dx72, ay = dy31 + dy72, az = dz31 + dz72;
        double sum = ax * (dy63 * dz20 - dz63 * dy20) + dx63 * (dy20 * az - dz20 * ay) +
                     dx20 * (ay * dz63 - az * dy63);
        double bx = dx43 + dx57, by = dy43 + dy57, bz = dz43 + dz57;
        sum += bx * (dy64 * dz70 - dz64 * dy70) + dx64 * (dy70 * bz - dz70 * by) +
               dx70 * (by * dz64 - bz * dy64);
        double cx = dx14 + dx25, cy = dy14 + dy25, cz = dz14 + dz25;
        sum += cx * (dy61 * dz50 - dz61 * dy50) + dx61 * (dy50 * cz - dz50 * cy) +
               dx50 * (cy * dz61 - cz * dy61);
        volume[i] = sum / 12.0d;
    }
}
