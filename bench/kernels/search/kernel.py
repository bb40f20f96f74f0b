def search(n, length, text, word, found):
    for i in range(n):
        j = 0
        while j < length and text[i + j] == word[j]:
            j += 1
        found[i] = j == length
