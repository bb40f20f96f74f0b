export void gain(uniform int n, uniform int dims, uniform int candidate, uniform int centres,
                 uniform const float weight[], uniform const uint32 assigned[],
                 uniform const float cost[], uniform const float coordinate[],
                 uniform const uint32 table[], uniform uint8 switches[], uniform float lower[])
{
    foreach (i = 0 ... n) {
        float far = 0.0f;
        for (uniform int d = 0; d < dims; d++) {
            float apart = coordinate[d * n + i] - coordinate[d * n + candidate];
            far += apart * apart;
        }
        far *= weight[i];
        int row = i * (centres + 1);
        if (far < cost[i]) {
            switches[i] = 1;
            lower[row + centres] += far - cost[i];
        } else {
            lower[row + table[assigned[i]]] += cost[i] - far;
        }
    }
}
