#define GROUP 128
#define NUMBERS 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void dwt53(uniform int width, uniform int height, uniform const int x[], uniform int y[])
{
    for (uniform int line = 0; line < height; line++)
        for (uniform int start = 0; start < width; start += NUMBERS) {
            uniform int part[NUMBERS + 3], band[GROUP + 1];
            uniform int row = line * width;
            foreach (i = 0 ... NUMBERS + 3) {
                int place = abs(start - 2 + i);
                part[i] = x[row + min(place, 2 * (width - 1) - place)];
            }
            foreach (i = 0 ... GROUP + 1)
                band[i] = part[2 * i + 1] - ((part[2 * i] + part[2 * i + 2]) >> 1);
            foreach (i = 0 ... GROUP) {
                int place = row + start / 2 + i;
                y[place] = part[2 * i + 2] + ((band[i] + band[i + 1] + 2) >> 2);
                y[place + width / 2] = band[i + 1];
            }
        }
}
