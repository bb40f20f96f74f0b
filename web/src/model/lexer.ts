// Just enough of the source language to colour it.

export type TokenKind =
  | "comment"
  | "label"
  | "register"
  | "number"
  | "directive"
  | "mnemonic"
  | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const TOKEN =
  /(?<comment>\/\/.*)|(?<label>@[\w.]+:?)|(?<register>\$[sdc]\d+|%[A-Za-z_][\w.]*)|(?<directive>\.[a-z]\w*|\bkernel\b)|(?<number>\b(?:0x[\da-fA-F]+|0b[01]+|0[fd][\da-fA-F]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b|'[^']*')|(?<word>[A-Za-z_]\w*)|(?<other>[^\w@$%./']+|.)/gu;

/** Split a line into tokens; their texts together are the line. */
export function tokens(line: string): Token[] {
  const found: Token[] = [];
  let isFirst = true;
  for (const match of line.matchAll(TOKEN)) {
    const text = match[0];
    const groups = match.groups ?? {};
    let kind: TokenKind = "plain";
    for (const name of ["comment", "label", "register", "directive", "number"] as const)
      if (groups[name] !== undefined) kind = name;
    if (groups.word !== undefined && isFirst) kind = "mnemonic";
    if (text.trim() && !(kind === "label" && text.endsWith(":"))) isFirst = false;
    found.push({ kind, text });
  }
  return found;
}
