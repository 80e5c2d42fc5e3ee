// An API server's reasons against the fields of an object, in few words: without the values, which may be long or secret,
// and so that the reason isn't what is cut off. Pure.

export interface Cause {
  /** `spec.selector` */
  readonly field: string;
  /** `Invalid value: {"matchLabels":{"app":"web"}}: field is immutable` */
  readonly message: string;
}

/** From the text of an error, where there is nothing better. */
export function readCauses(text: string): readonly Cause[] {
  const begins = [...text.matchAll(beginning)];
  return begins.map((begin, index) => {
    const end = begins[index + 1]?.index ?? text.length;
    const [whole, field = ""] = begin;
    const from = begin.index + whole.length - (begin[2]?.length ?? 0);
    return { field, message: text.slice(from, end).replace(/[\s,\]]+$/, "") };
  });
}

export function describeCause({ field, message }: Cause): string {
  const [, kind = "", rest = ""] = /^([A-Z][a-z]+(?: [a-z]+)*)(?:: ([\s\S]*))?$/.exec(message) ?? [];
  const reason = (valueless.has(kind) ? rest : afterValue(rest)).trim();
  if (message.endsWith(": field is immutable")) return `${field} can't be changed`;
  if (kind === "") return `${field} isn't valid`;
  if (kind === "Required value") return `${field} is required${reason && `: ${reason}`}`;
  if (kind === "Forbidden") return `${field}: ${reason || "it may not be set"}`;
  return `${field}: ${reason || kind.toLowerCase()}`;
}

/** Values are quoted texts, JSON or bare words; the reason follows them. */
function afterValue(text: string): string {
  return /^(?:"(?:[^"\\]|\\.)*"|\{[\s\S]*\}|\[[\s\S]*\]|[\w.*&]+\{[\s\S]*\}|[^\s:]*): ([\s\S]*)$/.exec(text)?.[1] ?? "";
}

const valueless: ReadonlySet<string> = new Set(["Forbidden", "Required value", "Too long"]);
const beginning =
  /([A-Za-z_][\w.[\]()-]*|<nil>): ((?:Invalid value|Required value|Forbidden|Unsupported value|Too long|Too many|Duplicate value|Not found|Internal error)\b)/g;
