export void bvh(uniform int n, uniform int inner, uniform const float box[],
                uniform const float origin[], uniform const float inverse[],
                uniform float distance_[])
{
    foreach (i = 0 ... n) {
        float ox = origin[i], oy = origin[n + i], oz = origin[2 * n + i];
        float ix = inverse[i], iy = inverse[n + i], iz = inverse[2 * n + i];
        int stack[32];
        int top = 1;
        stack[0] = 0;
        float nearest = 100;
        while (top > 0) {
            top--;
            int node = stack[top];
            int b = node * 6;
            float x1 = (box[b] - ox) * ix, x2 = (box[b + 3] - ox) * ix;
            float y1 = (box[b + 1] - oy) * iy, y2 = (box[b + 4] - oy) * iy;
            float z1 = (box[b + 2] - oz) * iz, z2 = (box[b + 5] - oz) * iz;
            float near = max(max(max(0.0f, min(x1, x2)), min(y1, y2)), min(z1, z2));
            float far = min(min(max(x1, x2), max(y1, y2)), max(z1, z2));
            if (near > far || near >= nearest)
                continue;
            if (node >= inner)
                nearest = near;
            else {
                stack[top++] = 2 * node + 1;
                stack[top++] = 2 * node + 2;
            }
        }
        distance_[i] = nearest;
    }
}
