def bfs(n, row, col, level, current, changed):
    for v in range(n):
        if level[v] == current:
            for e in range(row[v], row[v + 1]):
                u = col[e]
                if level[u] < 0:
                    level[u] = current + 1
                    changed[0] = 1
