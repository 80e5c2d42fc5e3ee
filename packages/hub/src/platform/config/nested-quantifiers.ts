/**
 * True when something that may repeat without end is inside of something else that may, as in (a+)+. Such an expression
 * tries ways without end on a text that it almost matches, and can be written without. It finds the usual ones, not all.
 */
export function hasNestedQuantifiers(source: string): boolean {
  /** For each group that is open, whether something in it repeats. */
  const groups = [false];
  for (const [token] of source.matchAll(tokens)) {
    if (token === "(") groups.push(false);
    else if (token.startsWith(")")) {
      const inner = groups.pop() ?? false;
      const isRepeated = token.length > 1;
      if (inner && isRepeated) return true;
      groups.push((groups.pop() ?? false) || inner || isRepeated);
    } else if (/^[*+{]/.test(token)) groups[groups.length - 1] = true;
  }
  return false;
}

/** Escapes and classes of characters are passed over whole. */
const tokens = /\\.|\[(?:\\.|[^\]])*\]|\(|\)(?:[*+]|\{\d+,\})?|[*+]|\{\d+,\}/gsu;
