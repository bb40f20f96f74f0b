kernel void xsbench(uint n, uint points, uint nuclides, global const double *restrict energy,
                    global const uint *restrict places, global const double *restrict table,
                    global const double *restrict asked, global const uint *restrict first,
                    global const uint *restrict material, global const double *restrict density,
                    global double *restrict total)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double e = asked[i];
    uint low = 0, high = points - 1;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (energy[middle] > e)
            high = middle;
        else
            low = middle;
    }
    uint kind = i * 2654435761u >> 29;
    double fission = 0.0, absorption = 0.0;
    for (uint k = first[kind]; k < first[kind + 1]; k++) {
        uint nuclide = material[k];
        uint row = (places[low * nuclides + nuclide] + nuclide * 64) * 3;
        double share = (table[row + 3] - e) / (table[row + 3] - table[row]);
        fission += density[k] * (table[row + 4] - share * (table[row + 4] - table[row + 1]));
        absorption += density[k] * (table[row + 5] - share * (table[row + 5] - table[row + 2]));
    }
    total[i] = fission + absorption;
}
