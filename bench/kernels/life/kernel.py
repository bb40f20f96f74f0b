def life(n, cells, out):
    for y in range(n):
        for x in range(n):
            around = cells[y, x] + cells[y, x + 1] + cells[y, x + 2]
            around += cells[y + 1, x] + cells[y + 1, x + 2]
            around += cells[y + 2, x] + cells[y + 2, x + 1] + cells[y + 2, x + 2]
            out[y + 1, x + 1] = (around | cells[y + 1, x + 1]) == 3
