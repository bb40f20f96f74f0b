export void turing(uniform int n, uniform unsigned int most, uniform const uint8 rules[],
                   uniform const uint32 which[], uniform const uint32 input[],
                   uniform uint32 steps[], uniform uint32 ones[])
{
    foreach (i = 0 ... n) {
        uint8 tape[128];
        for (uniform int k = 0; k < 32; k++)
            tape[k] = (input[i] >> k) & 1;
        for (uniform int k = 32; k < 128; k++)
            tape[k] = 0;
        uint32 base = which[i] * 16, head = 0, state = 0, step = 0;
        while (step < most && state != 7) {
            uint32 rule = rules[base + 2 * state + tape[head]];
            tape[head] = rule & 1;
            head = (head + (rule & 2) - 1) & 127;
            state = rule >> 2;
            step++;
        }
        uint32 sum = 0;
        for (uniform int k = 0; k < 128; k++)
            sum += tape[k];
        steps[i] = step;
        ones[i] = sum;
    }
}
