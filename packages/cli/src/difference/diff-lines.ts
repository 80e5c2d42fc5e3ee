export interface DiffLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

/** The lines that differ, with three others around them; none where the texts are equal. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [from, to] = [split(before), split(after)];
  const start = countEqual(from, to);
  const end = countEqual(from.slice(start).toReversed(), to.slice(start).toReversed());
  const middle = compare(from.slice(start, from.length - end), to.slice(start, to.length - end));
  if (middle.length === 0) return [];
  const keep = (text: string): DiffLine => ({ sign: " ", text });
  const [head, tail] = [from.slice(0, start).map(keep), from.slice(from.length - end).map(keep)];
  return withContext([...head, ...middle, ...tail]);
}

function split(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function countEqual(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, index) => line !== other[index]);
  return at === -1 ? Math.min(one.length, other.length) : at;
}

/** By the longest lines in common; texts too large for that are replaced as a whole. */
function compare(from: readonly string[], to: readonly string[]): DiffLine[] {
  if (from.length * to.length > mostCells) return [...toLines("-", from), ...toLines("+", to)];
  const lengths = Array.from({ length: from.length + 1 }, () => new Uint32Array(to.length + 1));
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = from.length - 1; row >= 0; row -= 1) {
    for (let column = to.length - 1; column >= 0; column -= 1) {
      const isEqual = from[row] === to[column];
      const length = isEqual
        ? lengthAt(row + 1, column + 1) + 1
        : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
      const cells = lengths[row];
      if (cells) cells[column] = length;
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < from.length && column < to.length) {
    const [old = "", young = ""] = [from[row], to[column]];
    if (old === young) {
      lines.push({ sign: " ", text: old });
      row += 1;
      column += 1;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) {
      lines.push({ sign: "-", text: old });
      row += 1;
    } else {
      lines.push({ sign: "+", text: young });
      column += 1;
    }
  }
  return [...lines, ...toLines("-", from.slice(row)), ...toLines("+", to.slice(column))];
}

function toLines(sign: DiffLine["sign"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ sign, text }));
}

function withContext(lines: readonly DiffLine[]): readonly DiffLine[] {
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  const kept = new Set(
    changed.flatMap((index) => Array.from({ length: 2 * around + 1 }, (_, step) => index + step - around)),
  );
  return lines.filter((_, index) => kept.has(index));
}

const around = 3;
const mostCells = 4_000_000;
