export void redblack(uniform int n, uniform int colour, uniform double omega, uniform double grid[])
{
    uniform int row = n + 2;
    for (uniform int y = 1; y <= n; y++) {
        foreach (k = 0 ... n / 2) {
            int x = 2 * k + 1 + ((y + 1 + colour) & 1);
            int at = y * row + x;
            double around = grid[at - row] + grid[at + row] + grid[at - 1] + grid[at + 1];
            grid[at] += omega * (0.25d * around - grid[at]);
        }
    }
}
