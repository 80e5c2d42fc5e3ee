import { type CustomTypesConfig, types } from "pg";

/** Values are read as `pg` reads them, but whole numbers become numbers as far as those are exact. */
export const readValue: CustomTypesConfig["getTypeParser"] = (oid, format) =>
  oid === types.builtins.INT8 ? toNumber : types.getTypeParser(oid, format);

function toNumber(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
