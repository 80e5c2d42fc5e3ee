// Objects of a cluster whose author wants commands of theirs run by whoever pastes a fix.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fix } from "../checks/index.ts";
import { formatFix } from "../fixes/index.ts";
import type { AddonReport } from "../report/index.ts";
import type { ClusterObject } from "../snapshot/index.ts";

export const hostileWord =
  "--x;touch stolen|sh;$(touch stolen)`touch stolen`'\"\\\nEND_OF_FILE\ntouch stolen\n\u001b]52;c;x\u0007\u202e#";

/** The same objects once for each name, namespace, label and host in them, which is hostile wherever it stands. */
export function hostileVariants(
  objects: readonly ClusterObject[],
  isMeant: (word: string) => boolean = () => true,
): (readonly ClusterObject[])[] {
  const words = new Set<string>();
  collect(objects, words, "");
  return [...words].filter(isMeant).map((word) => replace(objects, word) as readonly ClusterObject[]);
}

export interface Outcome {
  readonly wasStolen: boolean;
  /** The words of each command, as a program gets them. */
  readonly commands: readonly (readonly string[])[];
}

/** Gives the script of all these fixes to a shell, also what it would leave to a person to uncomment. */
export function runFixes(fixes: readonly Fix[]): Outcome {
  const folder = mkdtempSync(join(tmpdir(), "hostile-fixes-"));
  try {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const name of ["cat", "touch", "sh"]) symlinkSync(findProgram(name), join(bin, name));
    for (const name of ["kubectl", "helm", "jq"]) {
      const record = `cat > /dev/null\nfor word in ${name} "$@"; do printf '%s\\0' "$word"; done >> '${folder}/record'\nprintf '\\n\\0' >> '${folder}/record'\n`;
      writeFileSync(join(bin, name), `#!/bin/sh\n${record}`);
      chmodSync(join(bin, name), 0o755);
    }
    const whole = fixes.flatMap((fix) => [
      formatFix(fix, "a.check"),
      formatFix({ ...fix, risk: { is: "safe" } }, "a.check").replaceAll("# Then: ", ""),
    ]);
    const text = whole.join("");
    execFileSync("sh", ["-n"], { input: text });
    execFileSync(join(bin, "sh"), ["-c", text], { cwd: folder, env: { PATH: bin }, input: "" });
    const recorded = existsSync(join(folder, "record")) ? readFileSync(join(folder, "record"), "utf8") : "";
    const commands = recorded
      .split("\0\n\0")
      .filter((line) => line !== "")
      .map((line) => line.split("\0"));
    return { wasStolen: existsSync(join(folder, "stolen")), commands };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function fixesOf({ checks }: Pick<AddonReport, "checks">): Fix[] {
  return checks.flatMap(({ verdict }) => ("fix" in verdict && verdict.fix ? [verdict.fix] : []));
}

/** Words that a program takes for options although a cluster's author wrote them. */
export function smuggledOptions(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  const before = end === -1 ? words : words.slice(0, end);
  return before.filter((word, at) => word.startsWith("--x;") && !before[at - 1]?.startsWith("--"));
}

function collect(value: unknown, words: Set<string>, key: string): void {
  if (typeof value === "string") {
    if (["name", "namespace", "host", "hostname", "serviceAccountName"].includes(key) && value !== "") words.add(value);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [inner, each] of Object.entries(value)) {
    const isText = ["labels", "matchLabels", "hosts", "selector", "annotations"].includes(key);
    collect(each, words, isText && typeof each === "string" ? "name" : Array.isArray(value) ? key : inner);
  }
}

function replace(value: unknown, word: string): unknown {
  if (value === word) return hostileWord;
  if (Array.isArray(value)) return value.map((each) => replace(each, word));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key === word ? hostileWord : key, replace(each, word)]),
  );
}

function findProgram(name: string): string {
  return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
}
