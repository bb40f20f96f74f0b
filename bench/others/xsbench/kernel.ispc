export void xsbench(uniform int n, uniform int points, uniform int nuclides,
                    uniform const double energy[], uniform const uint32 places[],
                    uniform const double table[], uniform const double asked[],
                    uniform const uint32 first[], uniform const uint32 material[],
                    uniform const double density[], uniform double total[])
{
    foreach (i = 0 ... n) {
        double e = asked[i];
        uint32 low = 0, high = points - 1;
        while (high - low > 1) {
            uint32 middle = (low + high) / 2;
            if (energy[middle] > e)
                high = middle;
            else
                low = middle;
        }
        uint32 kind = i * 2654435761u >> 29;
        double fission = 0.0d, absorption = 0.0d;
        for (uint32 k = first[kind]; k < first[kind + 1]; k++) {
            uint32 nuclide = material[k];
            uint32 row = (places[low * nuclides + nuclide] + nuclide * 64) * 3;
            double share = (table[row + 3] - e) / (table[row + 3] - table[row]);
            fission += density[k] * (table[row + 4] - share * (table[row + 4] - table[row + 1]));
            absorption += density[k] * (table[row + 5] - share * (table[row + 5] - table[row + 2]));
        }
        total[i] = fission + absorption;
    }
}
