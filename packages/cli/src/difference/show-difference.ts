// `--dry-run` of commands that apply something: what they would change, and an exit code that says whether they would.
import type { CommandContext } from "../context.ts";
import { concludeDryRun } from "../foresight/index.ts";
import { loadYaml } from "../formats/index.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";

export interface Difference {
  /** `schedule/nightly`. */
  readonly what: string;
  /** Undefined where there is no such thing yet. Texts are compared as they are. */
  readonly before: unknown;
  readonly after: unknown;
  /** Where `after` comes from: a file unless said otherwise. */
  readonly source?: "file" | "flags";
}

/** Ends the command with exit code 1 where something differs. */
export async function showDifference(context: Pick<CommandContext, "output">, difference: Difference): Promise<void> {
  const { output } = context;
  const compared = await compare(difference);
  output.answer(toDocument(compared), () => toText(output, compared));
  concludeDryRun(context, compared.lines.length > 0);
}

/** The same of several things. */
export async function showDifferences(
  context: Pick<CommandContext, "output">,
  differences: readonly Difference[],
): Promise<void> {
  const { output } = context;
  const compared = await Promise.all(differences.map(compare));
  const differs = compared.some(({ lines }) => lines.length > 0);
  output.answer({ items: compared.map(toDocument), differs }, () => {
    return compared.map((one) => toText(output, one)).join("");
  });
  concludeDryRun(context, differs);
}

interface Compared extends Difference {
  readonly lines: readonly DiffLine[];
}

async function compare(difference: Difference): Promise<Compared> {
  const { before, after } = difference;
  const toYaml = await loadYaml();
  const write = (value: unknown): string => {
    if (value === undefined) return "";
    return typeof value === "string" ? value : toYaml(sorted(value));
  };
  return { ...difference, lines: diffLines(write(before), write(after)) };
}

function toDocument({ what, before, after, lines }: Compared): object {
  return { what, differs: lines.length > 0, before, after };
}

function toText(
  { colors, safe }: CommandContext["output"],
  { what, before, lines, source = "file" }: Compared,
): string {
  if (lines.length === 0) return "";
  const paint = { "+": colors.green, "-": colors.red, " ": (text: string) => text };
  const body = lines.map((line) => `${paint[line.sign](`${line.sign}${safe(line.text || " ")}`.trimEnd())}\n`);
  const [from, to] = [before === undefined ? "/dev/null" : `${what} (hub)`, `${what} (${source})`];
  return `--- ${safe(from)}\n+++ ${safe(to)}\n${body.join("")}`;
}

/** So that the order of members, and what isn't set, makes no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
