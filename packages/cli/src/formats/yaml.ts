import { isRawNumber } from "@fairlead/kernel";

/** Loads the library now only: most answers are tables. */
export async function loadYaml(): Promise<(document: unknown) => string> {
  const { stringify } = await import("yaml");
  return (document) => stringify(document, toYamlValue, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The library knows large whole numbers by another type than JSON does. */
function toYamlValue(_name: unknown, value: unknown): unknown {
  return isRawNumber(value) ? BigInt(value.rawJSON) : value;
}
