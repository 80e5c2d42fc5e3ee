import type { PlainScalar } from "./plain-scalar.ts";

/** The text of an unquoted key, as Kubernetes' tools have it: `on:` is "true" and `010:` is "8". Undefined: can't be one. */
export function keyText(scalar: PlainScalar): string | undefined {
  switch (scalar.type) {
    case "text":
      return scalar.value;
    case "bool":
    case "int":
      return String(scalar.value);
    case "float":
      return floatText(scalar.value);
    case "refused":
      return scalar.exact;
    case "null":
      return undefined;
  }
}

/** The shortest text that is the same number in 32 bits; undefined where it would take an exponent. */
function floatText(value: number): string | undefined {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return undefined;
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return String(short);
  }
  return undefined;
}
