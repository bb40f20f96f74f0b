/* The seven problems of bench/compare.py as a C programmer writes them down: loops, nothing tuned. */
#include <stdint.h>

void saxpy(int64_t n, float a, const float *restrict x, float *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void mandelbrot(int32_t width, int32_t height, int32_t limit, float x0, float y0, float dx,
                float dy, int32_t *restrict count)
{
    for (int32_t y = 0; y < height; y++) {
        for (int32_t x = 0; x < width; x++) {
            const float cr = x0 + dx * x, ci = y0 + dy * y;
            float zr = cr, zi = ci;
            int32_t done = 0;
            for (; done < limit && zr * zr + zi * zi <= 4; done++) {
                const float next = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = next;
            }
            *count++ = done;
        }
    }
}

static void hotspot_row(int32_t n, const float *restrict north, const float *restrict row,
                        const float *restrict south, const float *restrict power,
                        float *restrict next, float step, float rx, float ry, float rz,
                        float ambient)
{
    for (int32_t x = 0; x < n; x++) {
        const float t = row[x], west = row[x > 0 ? x - 1 : x], east = row[x < n - 1 ? x + 1 : x];
        next[x] = t + step * (power[x] + (north[x] + south[x] - 2 * t) * ry
                              + (west + east - 2 * t) * rx + (ambient - t) * rz);
    }
}

/* The result of an even number of steps lies in `temp`, that of an odd number in `other`. */
void hotspot(int32_t n, int32_t steps, float *temp, const float *power, float *other, float step,
             float rx, float ry, float rz, float ambient)
{
    for (; steps > 0; steps--) {
        for (int64_t y = 0; y < n; y++) {
            const float *row = temp + y * n;
            hotspot_row(n, y > 0 ? row - n : row, row, y < n - 1 ? row + n : row, power + y * n,
                        other + y * n, step, rx, ry, rz, ambient);
        }
        float *exchanged = temp;
        temp = other;
        other = exchanged;
    }
}

/* In blocks of points, which lie next to each other in memory, as their coordinates do not. */
void kmeans(int32_t n, int32_t dims, int32_t k, const float *restrict feat,
            const float *restrict cent, int32_t *restrict label)
{
    enum { BLOCK = 128 };
    for (int32_t first = 0; first < n; first += BLOCK) {
        const int32_t points = n - first < BLOCK ? n - first : BLOCK;
        float least[BLOCK];
        for (int32_t c = 0; c < k; c++) {
            float total[BLOCK] = {0};
            for (int32_t j = 0; j < dims; j++) {
                const float *coordinate = feat + (int64_t)j * n + first;
                for (int32_t i = 0; i < points; i++) {
                    const float apart = coordinate[i] - cent[c * dims + j];
                    total[i] += apart * apart;
                }
            }
            for (int32_t i = 0; i < points; i++) {
                if (c == 0 || total[i] < least[i]) {
                    least[i] = total[i];
                    label[first + i] = c;
                }
            }
        }
    }
}

void bitonic(int64_t n, int32_t *keys)
{
    for (int64_t run = 2; run <= n; run *= 2) {
        for (int64_t apart = run / 2; apart > 0; apart /= 2) {
            for (int64_t pair = 0; pair < n / 2; pair++) {
                const int64_t low = 2 * pair - (pair & (apart - 1)), high = low + apart;
                const int32_t x = keys[low], y = keys[high];
                if ((x > y) == ((low & run) == 0)) {
                    keys[low] = y;
                    keys[high] = x;
                }
            }
        }
    }
}

void bfs(int32_t n, const int32_t *row, const int32_t *col, int32_t *level, int32_t source)
{
    for (int32_t v = 0; v < n; v++)
        level[v] = v == source ? 0 : -1;
    int32_t found = 1;
    for (int32_t current = 0; found; current++) {
        found = 0;
        for (int32_t v = 0; v < n; v++) {
            if (level[v] != current)
                continue;
            for (int32_t e = row[v]; e < row[v + 1]; e++) {
                if (level[col[e]] < 0) {
                    level[col[e]] = current + 1;
                    found = 1;
                }
            }
        }
    }
}

void collatz(int64_t n, int32_t *steps)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t v = i + 1;
        int32_t taken = 0;
        for (; v != 1; taken++)
            v = v & 1 ? 3 * v + 1 : v >> 1;
        steps[i] = taken;
    }
}
