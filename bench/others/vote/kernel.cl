kernel void vote(uint n, global const uint *restrict x, global uint *restrict steps)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint number = x[i], count = 0;
    while (number != 1) {
        number = number & 1 ? 3 * number + 1 : number >> 1;
        count++;
    }
    steps[i] = count;
}
