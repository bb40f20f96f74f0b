#define TILE 16
#define MOST 512

/* Tiles are a loop; the lights of one are packed by a foreach, its pixels another. */
export void deferred(uniform int width, uniform int height, uniform int lights,
                     uniform const float depth[],
                     uniform const float light[], uniform uint32 shade[])
{
    for (uniform int top = 0; top < height; top += TILE) {
        for (uniform int left = 0; left < width; left += TILE) {
            float nearest = 1e30f, farthest = 0.0f;
            foreach (y = top ... top + TILE, x = left ... left + TILE) {
                float z = depth[y * width + x];
                nearest = min(nearest, z);
                farthest = max(farthest, z);
            }
            uniform float low = reduce_min(nearest), high = reduce_max(farthest);
            uniform int list[MOST], count = 0;
            foreach (k = 0 ... lights) {
                float a = light[4 * k], b = light[4 * k + 1], c = light[4 * k + 2];
                float r = light[4 * k + 3];
                if (a + r > left && a - r < left + TILE && b + r > top && b - r < top + TILE
                    && c + r > low && c - r < high)
                    count += packed_store_active(&list[count], k);
            }
            foreach (y = top ... top + TILE, x = left ... left + TILE) {
                float z = depth[y * width + x];
                uint32 sum = 0;
                for (uniform int j = 0; j < count; j++) {
                    uniform int k = list[j];
                    float a = light[4 * k] - x, b = light[4 * k + 1] - y, c = light[4 * k + 2] - z;
                    uniform float reach = light[4 * k + 3];
                    float share = 1.0f - (a * a + b * b + c * c) / (reach * reach);
                    if (share > 0.0f)
                        sum += (uint32)(int)(share * 1024.0f);
                }
                shade[y * width + x] = sum;
            }
        }
    }
}
