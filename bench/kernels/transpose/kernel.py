TILE = 16


def transpose(n, x, y):
    for row in range(0, n, TILE):
        for column in range(0, n, TILE):
            for ty in range(TILE):
                for tx in range(TILE):
                    y[column + ty, row + tx] = x[row + tx, column + ty]
