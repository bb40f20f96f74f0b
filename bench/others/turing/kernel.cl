kernel void turing(uint n, uint most, global const uchar *restrict rules,
                   global const uint *restrict which, global const uint *restrict input,
                   global uint *restrict steps, global uint *restrict ones)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uchar tape[128];
    for (uint k = 0; k < 128; k++)
        tape[k] = k < 32 ? input[i] >> k & 1 : 0;
    uint base = which[i] * 16, head = 0, state = 0, step = 0;
    while (step < most && state != 7) {
        uint rule = rules[base + 2 * state + tape[head]];
        tape[head] = rule & 1;
        head = (head + (rule & 2) - 1) & 127;
        state = rule >> 2;
        step++;
    }
    uint sum = 0;
    for (uint k = 0; k < 128; k++)
        sum += tape[k];
    steps[i] = step;
    ones[i] = sum;
}
