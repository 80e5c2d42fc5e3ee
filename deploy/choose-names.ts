import type { FairleadError } from "@fairlead/kernel";

/** Gives the known names that a flag was given, in their own order; all of them without the flag. */
export function chooseNames<Name extends string>(options: {
  readonly flag: string;
  readonly asked: readonly string[] | undefined;
  readonly known: readonly Name[];
  /** Makes the error for a name that isn't known. */
  readonly fail: (message: string) => FairleadError;
}): Name[] {
  const { flag, asked = [], known, fail } = options;
  const unknown = asked.find((name) => !known.includes(name as Name));
  if (unknown !== undefined) throw fail(`${flag} takes ${known.join(" or ")}, not "${unknown}".`);
  return known.filter((name) => asked.length === 0 || asked.includes(name));
}
