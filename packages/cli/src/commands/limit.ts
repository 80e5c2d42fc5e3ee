import { usage } from "../errors.ts";

/** For an option that says how many at most. */
export function limitOf(things: string): (text: string) => number {
  return (text) => {
    const limit = Number(text);
    if (!Number.isInteger(limit) || limit < 1) throw usage(`'${text}' isn't a number of ${things}.`);
    return limit;
  };
}
