import { keyOf, onlyName } from "../object-name.ts";
import type { Survey } from "../survey/survey.ts";
import type { ObjectName, Outcome } from "../types.ts";
import type { InventoryEntry } from "./inventory.ts";

/** While a run is under way: all that the set had, and all that it may make. */
export function widestInventory(survey: Survey, known: readonly InventoryEntry[]): readonly InventoryEntry[] {
  const uids = uidsOf(known);
  return [
    // An object that was there before isn't the set's until it was applied: its uid isn't known, and its mark decides.
    ...survey.targets.map((target) => entryOf(target, uids.get(keyOf(target)))),
    ...survey.leftovers
      .filter(({ fate }) => fate.type !== "release")
      .map((leftover) => entryOf(leftover, leftover.uid)),
  ];
}

/** After a run: what it applied, and what it couldn't get rid of. */
export function nextInventory(options: {
  readonly survey: Survey;
  readonly known: readonly InventoryEntry[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** By key, of what was applied. */
  readonly uids: ReadonlyMap<string, string>;
}): readonly InventoryEntry[] {
  const { survey, known, outcomes, uids } = options;
  const knownUids = uidsOf(known);
  const had = new Set(known.map(keyOf));
  const targets = survey.targets.flatMap((target) => {
    const key = keyOf(target);
    const uid = uids.get(key);
    if (uid !== undefined) return entryOf(target, uid);
    // A request whose answer was lost may have made it.
    const wasBegun = outcomes.get(key)?.did === "failed";
    return wasBegun || had.has(key) ? entryOf(target, knownUids.get(key)) : [];
  });
  const leftovers = survey.leftovers.filter((leftover) => {
    const did = outcomes.get(keyOf(leftover))?.did;
    if (leftover.fate.type === "prune") return did === undefined || did === "failed";
    return leftover.fate.type === "keep";
  });
  return [...targets, ...leftovers.map((leftover) => entryOf(leftover, leftover.uid))];
}

function uidsOf(known: readonly InventoryEntry[]): ReadonlyMap<string, string | undefined> {
  return new Map(known.map((entry) => [keyOf(entry), entry.uid]));
}

function entryOf(name: ObjectName, uid: string | undefined): InventoryEntry {
  return { ...onlyName(name), ...(uid !== undefined && { uid }) };
}
