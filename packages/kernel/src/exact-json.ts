// JSON whose whole numbers of more than 53 bits keep their digits: Kubernetes has 64 bits for them.

/** A number as its JSON has it. JSON.stringify writes these digits. */
export interface RawNumber {
  readonly rawJSON: string;
}

/**
 * As JSON.parse, but that large whole numbers become raw numbers. Costs more only where a text has digits for one: then a
 * microsecond for each value. A text of strangers may have too many values for that, and is read as by JSON.parse.
 */
export function parseExactJson(
  text: string,
  { mostValues = Number.POSITIVE_INFINITY }: { readonly mostValues?: number } = {},
): unknown {
  if (!manyDigits.test(text) || hasMoreValues(text, mostValues)) return JSON.parse(text);
  try {
    return sourceJson.parse(text, keepDigits);
  } catch (error) {
    // A reviver is called level by level. What is nested too deeply for that has no use for its digits.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** Nothing that was read from JSON is one by its members alone. */
export function isRawNumber(value: unknown): value is RawNumber {
  if (typeof value !== "object" || value === null) return false;
  // The second look is slow, and ordinary objects never come to it.
  return Object.getPrototypeOf(value) === null && sourceJson.isRawJSON(value);
}

export function rawNumber(source: string): RawNumber {
  return sourceJson.rawJSON(source);
}

/** Commas are counted: each but the first value of a list or an object stands behind one. */
function hasMoreValues(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let at = -1;
  for (let count = 0; count < most; count++) {
    at = text.indexOf(",", at + 1);
    if (at < 0) return false;
  }
  return true;
}

function keepDigits(_name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  const isLarge = typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined;
  return isLarge && /^-?\d+$/.test(source) && String(value) !== source ? sourceJson.rawJSON(source) : value;
}

/** As many as 2^53 has, where a number may begin. */
const manyDigits = /(?:^|[:[,\s])-?\d{16}/;

/** This Node knows it, and the types of ES2023 don't. */
const sourceJson = JSON as unknown as {
  parse(text: string, reviver: typeof keepDigits): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): boolean;
};
