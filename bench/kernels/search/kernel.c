#include <stdint.h>

void search(uint32_t n, uint32_t length, const uint8_t *restrict text,
            const uint8_t *restrict word, uint8_t *restrict found)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < length && text[i + j] == word[j])
            j++;
        found[i] = j == length;
    }
}
