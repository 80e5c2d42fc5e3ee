// The kinds of values that settings take: how each is read, written and described.
import { formatDuration, parseDuration } from "../duration.ts";
import { formatSize, parseSize } from "../size.ts";

export interface Kind<Value> {
  /** Stands for the value in a help text. Undefined: the flag alone means true. */
  readonly placeholder: string | undefined;
  /** The values that are allowed, in a few words. */
  readonly range?: string | undefined;
  /** An empty value means something. */
  readonly mayBeEmpty?: boolean;
  /** Of a text, or of what the file has. */
  read(given: unknown): Reading<Value>;
  /** As the file has it, so that `read` gives the same value again. */
  write(value: Value): unknown;
}

/** `expected` goes on the sentence "expected …". */
export type Reading<Value> = { readonly value: Value } | { readonly expected: string };

export interface Bounds {
  readonly from: string;
  readonly to: string;
  readonly example: string;
}

/** In milliseconds. */
export function duration({ from, to, example }: Bounds): Kind<number> {
  return kindOf({
    placeholder: "DURATION",
    range: `${from} to ${to}`,
    expected: `a duration from ${from} to ${to}, for example ${example}`,
    read: (given) => within(readText(given, parseDuration), parseDuration(from), parseDuration(to)),
    write: formatDuration,
  });
}

/** In bytes. */
export function size({ from, to, example }: Bounds): Kind<number> {
  return kindOf({
    placeholder: "SIZE",
    range: `${from} to ${to}`,
    expected: `a size from ${from} to ${to}, for example ${example}`,
    read: (given) => within(readSize(given), parseSize(from), parseSize(to)),
    write: formatSize,
  });
}

/** In bytes a second; 0 is without a limit. */
export function rate({ from, example }: Omit<Bounds, "to">): Kind<number> {
  return kindOf({
    placeholder: "SIZE",
    range: `0 for no limit, or ${from} and more`,
    expected: `0 or a size from ${from} on, for example ${example}`,
    read: (given) => (readSize(given) === 0 ? 0 : within(readSize(given), parseSize(from), undefined)),
    write: formatSize,
  });
}

export function whole({ from, to }: { readonly from: number; readonly to: number }): Kind<number> {
  const range = `${from} to ${to}`;
  const readNumber = (given: unknown): number | undefined =>
    typeof given === "number" ? given : readText(given, (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined));
  return kindOf({
    placeholder: "N",
    range,
    expected: `a whole number from ${range}`,
    read: (given) => {
      const number = within(readNumber(given), from, to);
      return Number.isInteger(number) ? number : undefined;
    },
  });
}

export function boolean(): Kind<boolean> {
  return kindOf({
    placeholder: undefined,
    expected: "true or false",
    read: (given) => {
      if (given === true || given === "true") return true;
      return given === false || given === "false" ? false : undefined;
    },
  });
}

export function choice<const Value extends string>(values: readonly Value[], placeholder: string): Kind<Value> {
  const range = values.join(", ");
  return kindOf({
    placeholder,
    range,
    expected: `one of ${range}`,
    read: (given) => values.find((value) => value === given),
  });
}

/** One or more of these words. */
export function choices<const Value extends string>(
  values: readonly Value[],
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Kind<readonly Value[]> {
  const range = values.join(", ");
  return kindOf({
    placeholder: "LIST",
    range,
    mayBeEmpty,
    expected: `a list of ${range}`,
    read: (given) => {
      const words = readWords(given);
      const known = words?.flatMap((word) => values.filter((value) => value === word));
      const isWhole = known?.length === words?.length && (mayBeEmpty || (known?.length ?? 0) > 0);
      return isWhole && known ? [...new Set(known)] : undefined;
    },
  });
}

/** Words between commas or blanks, or a list in the file. */
export function list({
  expected,
  isWord = () => true,
  placeholder = "LIST",
  mayBeEmpty = false,
  maxWords = 1_000,
}: {
  readonly expected: string;
  readonly isWord?: (word: string) => boolean;
  readonly placeholder?: string;
  readonly mayBeEmpty?: boolean;
  readonly maxWords?: number;
}): Kind<readonly string[]> {
  return kindOf({
    placeholder,
    mayBeEmpty,
    expected,
    read: (given) => {
      const words = readWords(given);
      if (words === undefined || words.length > maxWords || (words.length === 0 && !mayBeEmpty)) return undefined;
      return words.every((word) => word !== "" && isWord(word)) ? words : undefined;
    },
  });
}

/** A text that `isText` accepts. */
export function text({
  placeholder,
  expected = "a text that isn't empty",
  isText = () => true,
}: {
  readonly placeholder: string;
  readonly expected?: string;
  readonly isText?: (text: string) => boolean;
}): Kind<string> {
  return kindOf({
    placeholder,
    expected,
    read: (given) => readText(given, (value) => (value !== "" && isText(value) ? value : undefined)),
  });
}

/** HOST:PORT. `toListen` takes an empty host, for all addresses, and port 0, for any free one. */
export function address({ toListen, example }: { readonly toListen: boolean; readonly example: string }): Kind<string> {
  const pattern = toListen
    ? /^(?:\[[0-9a-fA-F:.]+\]|[^:/\s]*):(\d{1,5})$/
    : /^(?:\[[0-9a-fA-F:.]+\]|[^:/\s[\]]+):(\d{1,5})$/;
  return text({
    placeholder: "HOST:PORT",
    expected: `HOST:PORT, for example ${example}`,
    isText: (value) => {
      const port = Number(pattern.exec(value)?.[1]);
      return port >= (toListen ? 0 : 1) && port <= 65_535;
    },
  });
}

/** A kind from its parts. `read` gives undefined for a value that isn't one. */
export function kindOf<Value>({
  expected,
  read,
  write = (value) => value,
  ...rest
}: {
  readonly placeholder: string | undefined;
  readonly range?: string;
  readonly mayBeEmpty?: boolean;
  readonly expected: string;
  readonly read: (given: unknown) => Value | undefined;
  readonly write?: (value: Value) => unknown;
}): Kind<Value> {
  return {
    ...rest,
    write,
    read(given) {
      const value = read(given);
      return value === undefined ? { expected } : { value };
    },
  };
}

function readText<Value>(given: unknown, read: (text: string) => Value | undefined): Value | undefined {
  return typeof given === "string" ? read(given) : undefined;
}

function readSize(given: unknown): number | undefined {
  return readText(typeof given === "number" ? String(given) : given, parseSize);
}

function readWords(given: unknown): readonly string[] | undefined {
  if (typeof given === "string") return given.split(/[,\s]+/).filter((word) => word !== "");
  return Array.isArray(given) && given.every((word) => typeof word === "string") ? given : undefined;
}

function within(value: number | undefined, from: number | undefined, to: number | undefined): number | undefined {
  if (value === undefined || value < (from ?? -Infinity) || value > (to ?? Infinity)) return undefined;
  return value;
}
