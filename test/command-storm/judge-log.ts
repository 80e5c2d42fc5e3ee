import type { Deed } from "./deeds/index.ts";

/** What the hub says of a command that has ended. */
export interface EndedLog {
  readonly text: string;
  readonly logBytes: number;
  readonly state: string;
  readonly claims: number;
  readonly deed: Pick<Deed, "numberedLines" | "lastLine">;
}

/** Says what is wrong with a log. Pure. */
export function judgeLog({ text, logBytes, state, claims, deed }: EndedLog): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes !== logBytes) return `has ${bytes} bytes, and not ${logBytes}`;
  if (text !== "" && !text.endsWith("\n")) return "ends within a line";
  const lines = text.split("\n").slice(0, -1);
  const numbers = judgeNumbers(lines, claims);
  if (typeof numbers === "string") return numbers;
  if (state !== "succeeded" || saysWhatIsMissing(text)) return undefined;
  const { numberedLines, lastLine } = deed;
  // A run that died may have done its work before its agent had read what it said.
  if (numberedLines !== undefined && claims === 1 && numbers.last !== numberedLines)
    return `has ${numbers.last} of ${numberedLines} numbered lines`;
  // After its work the agent may say that it couldn't clean up behind it, as the API server was away.
  const last = lines.findLast((line) => !line.includes("couldn't be removed")) ?? "";
  if (!lastLine.test(last)) return `ends with ${JSON.stringify(last)}`;
  return undefined;
}

export function saysWhatIsMissing(text: string): boolean {
  return /^\[fairlead\] The log (?:ends here|is full):/m.test(text);
}

/** Each claim may begin at 1 again. */
function judgeNumbers(lines: readonly string[], claims: number): string | { readonly last: number } {
  let last = 0;
  let begun = 0;
  for (const line of lines) {
    // OpenTofu quotes what a program said in the error of one that was interrupted.
    const number = Number(/\(local-exec\): numbered (\d+) of \d+$/.exec(line)?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) continue;
    if (number === 1) begun += 1;
    else if (number !== last + 1) return `has the numbered line ${number} after ${last}`;
    if (begun > claims) return `has the numbered line 1 ${begun} times for ${claims} claims`;
    last = number;
  }
  return { last };
}
