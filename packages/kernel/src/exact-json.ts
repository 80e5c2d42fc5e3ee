// JSON whose whole numbers of more than 53 bits keep their digits: Kubernetes has 64 bits for them.

/** A number as its JSON has it. JSON.stringify writes these digits. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** As JSON.parse, but that large whole numbers become raw numbers. Costs more only where a text has digits for one. */
export function parseExactJson(text: string): unknown {
  return manyDigits.test(text) ? sourceJson.parse(text, keepDigits) : JSON.parse(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === "object" && sourceJson.isRawJSON(value);
}

export function rawNumber(source: string): RawNumber {
  return sourceJson.rawJSON(source);
}

function keepDigits(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isLarge = typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined;
  return isLarge && /^-?\d+$/.test(source) && String(value) !== source ? sourceJson.rawJSON(source) : value;
}

const manyDigits = /(?:^|[:[,\s])-?\d{16}/;

/** This Node knows it, and the types of ES2023 don't. */
const sourceJson = JSON as unknown as {
  parse(text: string, reviver: typeof keepDigits): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): boolean;
};
