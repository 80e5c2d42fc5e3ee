// Slots where no parameter may stand: texts that are programs or documents themselves, and names of Secrets. Pure.
import type { CommandKindName } from "@fairlead/contract";

type Path = readonly (string | number)[];

/** True also for what such a place lies in: a value for all of it would fill it, too. */
export function isClosed(kind: CommandKindName, path: Path): boolean {
  return closed[kind].some((place) => overlap(place, path));
}

function overlap(place: readonly string[], path: Path): boolean {
  const length = Math.min(place.length, path.length);
  return place.slice(0, length).every((part, index) => part === "*" || part === String(path[index]));
}

const manifests = [["manifests"]];
const git = (at: readonly string[]) => [
  [...at, "git", "credentials"],
  [...at, "git", "knownHosts"],
];
const helm = [
  ["chart", "files"],
  ["chart", "credentials"],
  ...git(["chart"]),
  ["valuesFrom", "*", "secret"],
  ["valuesFrom", "*", "configMap"],
];
const tofu = [["source", "files"], ...git(["source"]), ["variablesFrom"], ["outputs", "secret"]];
const inSteps = (kind: string, places: readonly (readonly string[])[]) =>
  places.map((place) => ["steps", "*", kind, ...place]);

const closed: Readonly<Record<CommandKindName, readonly (readonly string[])[]>> = {
  manifests,
  helm,
  tofu,
  flow: [
    ["steps", "*", "if"],
    ["steps", "*", "wait", "outputs"],
    ...inSteps("manifests", manifests),
    ...inSteps("helm", helm),
    ...inSteps("tofu", tofu),
  ],
};
