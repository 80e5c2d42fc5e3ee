import { usage } from "../errors.ts";

/** For an option that says how many at most. */
export function limitOf(things: string): (text: string) => number {
  return (text) => {
    const limit = Number(text);
    if (!Number.isInteger(limit) || limit < 1) throw usage(`'${text}' isn't a number of ${things}.`);
    return limit;
  };
}

/** For an option that says how many clusters are at work at once. */
export function parseClusterCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 100) return count;
  throw usage(`'${text}' isn't a number of clusters.`, "Use a number from 1 to 100.");
}
