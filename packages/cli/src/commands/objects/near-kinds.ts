// Mistyped kinds: the hub says that there is none of that name, and this which one was likely meant.
import type { HubClient, KindInfo } from "@fairlead/contract";
import { findNearest } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { hubCodes } from "../../hub-codes.ts";
import { objectsErrors } from "./errors.ts";

/** Throws CLI_KIND_UNKNOWN in place of the hub's error where a kind's name is near. */
export async function suggestKinds<T>(context: CommandContext, kinds: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (!hubCodes.is(thrown, "OBJECTS_KIND_UNKNOWN")) throw thrown;
    const nearest = await findNearestKinds(await context.hub(), kinds, context.signal).catch(() => []);
    if (nearest.length === 0) throw thrown;
    throw objectsErrors.CLI_KIND_UNKNOWN({
      kinds: nearest.map(({ typed }) => `'${typed}'`).join(", "),
      advice: nearest.map(({ typed, meant }) => `${typed}: did you mean ${meant}?`).join(" "),
      cause: thrown,
    });
  }
}

interface NearKind {
  readonly typed: string;
  readonly meant: string;
}

async function findNearestKinds(
  hub: Pick<HubClient, "listKinds">,
  kinds: string,
  signal: AbortSignal,
): Promise<readonly NearKind[]> {
  const { items } = await hub.listKinds({ signal });
  const known = new Set(items.flatMap(namesOf));
  const plurals = [...new Set(items.flatMap(({ kind }) => [kind, pluralOf(kind)]))];
  return kinds.split(",").flatMap((typed) => {
    if (known.has(typed.toLowerCase())) return [];
    const meant = findNearest(typed, plurals);
    return meant === undefined ? [] : [{ typed, meant }];
  });
}

/** As kubectl takes them. */
function namesOf({ kind, kindName, shortNames }: KindInfo): string[] {
  return [kind, pluralOf(kind), kindName.toLowerCase(), ...shortNames];
}

/** `deployments` of `deployments.apps`. */
export function pluralOf(kind: string): string {
  return kind.split(".", 1)[0] ?? kind;
}
