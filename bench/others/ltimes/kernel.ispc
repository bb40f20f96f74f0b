export void ltimes(uniform int moments, uniform int groups, uniform int zones,
                   uniform int directions, uniform const float ell[], uniform const float psi[],
                   uniform float phi[])
{
    for (uniform int z = 0; z < zones; z++)
        for (uniform int g = 0; g < groups; g++)
            foreach (m = 0 ... moments) {
                uniform int row = z * groups + g;
                for (uniform int d = 0; d < directions; d++)
                    phi[row * moments + m] += ell[d * moments + m] * psi[row * directions + d];
            }
}
