// Reads an unquoted YAML scalar as Kubernetes' own tools do (kubectl and Helm use sigs.k8s.io/yaml, which is go-yaml
// v2). Their rules are neither YAML 1.1 nor 1.2; `go-yaml.vectors.json` holds Helm's own answers.

export type PlainScalar =
  | { readonly type: "null" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int" | "float"; readonly value: number }
  | { readonly type: "text"; readonly value: string }
  /** JSON has no such number, or a program that reads JSON would round it; `exact` is the integer in decimal digits. */
  | { readonly type: "refused"; readonly why: string; readonly exact?: string };

export function readPlainScalar(text: string): PlainScalar {
  if (nulls.has(text)) return { type: "null" };
  if (trues.has(text)) return { type: "bool", value: true };
  if (falses.has(text)) return { type: "bool", value: false };
  if (/^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(text))
    return { type: "refused", why: "an infinite number can't be sent to Kubernetes" };
  if (text.startsWith("."))
    return fraction.test(text) ? float(text.replaceAll("_", "")) : { type: "text", value: text };
  if (!/^[-+\d]/.test(text)) return { type: "text", value: text };
  const bare = text.replaceAll("_", "");
  return integer(bare) ?? (decimal.test(bare) ? float(bare) : { type: "text", value: text });
}

/** Prefixes as in Go's source: a leading zero is octal too. `08` is no octal number, and so becomes a decimal one. */
function integer(text: string): PlainScalar | undefined {
  const [, sign = "", prefix = "", digits = ""] = /^([-+]?)(0[bB]|0[oO]|0[xX]|0(?=\d))?(\w+)$/.exec(text) ?? [];
  const base = bases[prefix.toLowerCase() as keyof typeof bases];
  if (base === undefined || !base.digits.test(digits)) return undefined;
  const size = BigInt(`${base.prefix}${digits}`);
  const value = sign === "-" ? -size : size;
  // Go takes these for floating-point numbers, or for text when they have a prefix.
  if (prefix !== "" && (value < -(2n ** 63n) || value >= 2n ** 64n)) return undefined;
  if (size <= BigInt(Number.MAX_SAFE_INTEGER)) return { type: "int", value: Number(value) };
  const why = "an integer of more than 53 bits would lose digits; write it in quotes";
  return { type: "refused", why, exact: String(value) };
}

function float(text: string): PlainScalar {
  const value = Number(text);
  // Go takes what overflows for text.
  return Number.isFinite(value) ? { type: "float", value } : { type: "text", value: text };
}

const nulls: ReadonlySet<string> = new Set(["", "~", "null", "Null", "NULL"]);
const trues: ReadonlySet<string> = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]);
const falses: ReadonlySet<string> = new Set([
  "n",
  "N",
  "no",
  "No",
  "NO",
  "false",
  "False",
  "FALSE",
  "off",
  "Off",
  "OFF",
]);
/** Here alone Go wants its underscores between digits. */
const fraction = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const decimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const bases = {
  "": { prefix: "", digits: /^\d+$/ },
  "0": { prefix: "0o", digits: /^[0-7]+$/ },
  "0b": { prefix: "0b", digits: /^[01]+$/ },
  "0o": { prefix: "0o", digits: /^[0-7]+$/ },
  "0x": { prefix: "0x", digits: /^[\da-fA-F]+$/ },
} as const;
