#include <stdint.h>

void bfs(uint32_t n, const uint32_t *restrict row, const uint32_t *restrict col,
         int32_t *restrict level, int32_t current, uint32_t *restrict changed)
{
    for (uint32_t v = 0; v < n; v++) {
        if (level[v] != current)
            continue;
        for (uint32_t e = row[v]; e < row[v + 1]; e++) {
            uint32_t u = col[e];
            if (level[u] < 0) {
                level[u] = current + 1;
                *changed = 1;
            }
        }
    }
}
