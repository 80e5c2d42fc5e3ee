import { InvalidArgumentError } from "commander";

/** The level of kubectl's `-v`, which is written as `-v 6`, `-v6` or `-v=6`. */
export function parseVerbosity(text: string): number {
  const [, digits] = /^=?(\d{1,2})$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError("It must be a number from 0 to 99, such as 6 or 8.");
  return Number(digits);
}
