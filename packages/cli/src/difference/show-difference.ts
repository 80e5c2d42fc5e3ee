// `--dry-run` of commands that apply something: what they would change, and an exit code that says whether they would.
import type { CommandContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadYaml } from "../formats/index.ts";
import { EndsWith } from "../terminal.ts";
import { diffLines } from "./diff-lines.ts";

export interface Difference {
  /** `schedule/nightly`. */
  readonly what: string;
  /** Undefined where there is no such thing yet. Texts are compared as they are. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Ends the command with exit code 1 where something differs. */
export async function showDifference(
  { output }: Pick<CommandContext, "output">,
  { what, before, after }: Difference,
): Promise<void> {
  const toYaml = await loadYaml();
  const toText = (value: unknown): string => {
    if (value === undefined) return "";
    return typeof value === "string" ? value : toYaml(sorted(value));
  };
  const lines = diffLines(toText(before), toText(after));
  const differs = lines.length > 0;
  output.answer({ what, differs, before, after }, () => {
    if (!differs) return "";
    const paint = { "+": output.colors.green, "-": output.colors.red, " ": (text: string) => text };
    const body = lines.map((line) => `${paint[line.sign](`${line.sign}${output.safe(line.text || " ")}`.trimEnd())}\n`);
    const [from, to] = [before === undefined ? "/dev/null" : `${what} (hub)`, `${what} (file)`];
    return `--- ${output.safe(from)}\n+++ ${output.safe(to)}\n${body.join("")}`;
  });
  if (differs) throw new EndsWith(exitCodes.failure.value);
  output.remark("Nothing would change.");
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
