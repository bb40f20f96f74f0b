export void vote(uniform int n, uniform const uint32 x[], uniform uint32 steps[])
{
    foreach (i = 0 ... n) {
        uint32 number = x[i], count = 0;
        while (any(number != 1)) {
            uint32 next = number & 1 ? 3 * number + 1 : number >> 1;
            if (number != 1) {
                number = next;
                count++;
            }
        }
        steps[i] = count;
    }
}
