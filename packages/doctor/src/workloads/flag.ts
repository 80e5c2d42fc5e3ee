import type { Container } from "./workload.ts";

/**
 * The last value of `--name=v` or `--name v` among a container's words, as flag parsers of Go take it; undefined when the
 * flag isn't there.
 */
export function readFlag({ args }: Container, name: string): string | undefined {
  const flag = `--${name}`;
  let value: string | undefined;
  for (const [index, word] of args.entries()) {
    if (word.startsWith(`${flag}=`)) value = word.slice(flag.length + 1);
    else if (word === flag) value = args[index + 1] ?? "";
  }
  return value;
}

/** A flag that needs no value: `--name`, or `--name=false`; the last one counts. */
export function readSwitch({ args }: Container, name: string): boolean {
  const word = args.findLast((each) => each === `--${name}` || each.startsWith(`--${name}=`));
  return word !== undefined && !/=(0|f|false)$/i.test(word);
}

/** A list as pflag's StringSlice takes it: comma-separated, each entry may stand in double quotes, with doubled quotes inside. */
export function parseCsv(value: string): string[] {
  if (value === "") return [];
  return (value.match(/("(?:[^"]|"")*"|[^,]*)(,|$)/g) ?? [])
    .slice(0, value.endsWith(",") ? undefined : -1)
    .map((entry) => entry.replace(/,$/, ""))
    .map((entry) => (/^".*"$/s.test(entry) ? entry.slice(1, -1).replaceAll('""', '"') : entry));
}

/** As Go's own `flag` takes it, with one dash or two. VictoriaMetrics and its siblings do. */
export function readGoFlag(container: Container, name: string): string | undefined {
  const args = container.args.map((word) => (/^-[^-]/.test(word) ? `-${word}` : word));
  return readFlag({ ...container, args }, name);
}
