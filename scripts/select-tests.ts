import { dirname, relative } from "node:path";

/** The members of vitest's TestSpecification that are used here. */
interface Specification {
  readonly moduleId: string;
  readonly project: { readonly name: string };
}

/**
 * Selects what a change of a few rooms is likely to break, within two minutes: changed tests themselves, tests of these
 * rooms and the architecture's rules; then the fast tests that import the change by the fewest imports. Hubs import all
 * rooms, so a test that plays one would be related to every change.
 */
export function selectTests<Test extends Specification>({
  all,
  distances,
  changed,
  root,
}: {
  readonly all: readonly Test[];
  /** Of each file whose imports lead to a changed one, the least number of imports between them. */
  readonly distances: ReadonlyMap<string, number>;
  /** Paths below `root`. */
  readonly changed: readonly string[];
  readonly root: string;
}): { readonly selected: readonly Test[]; readonly leftOut: number } {
  const rooms = roomsOf(changed);
  const tests = all.map((test) => {
    const path = relative(root, test.moduleId);
    const isOwn = rooms.some((room) => path.startsWith(`${room}/`));
    const distance = distances.get(path) ?? Number.POSITIVE_INFINITY;
    return { test, path, isOwn, distance, isFast: test.project.name === "unit" };
  });
  type Candidate = (typeof tests)[number];
  const compare = (one: Candidate, other: Candidate): number =>
    Number(other.isOwn) - Number(one.isOwn) ||
    nearnessTo(changed, other.path) - nearnessTo(changed, one.path) ||
    compareNumbers(one.distance, other.distance);
  const isAlways = ({ path }: Candidate): boolean => changed.includes(path) || path.startsWith("test/architecture/");
  const [always, others] = [tests.filter(isAlways), tests.filter((each) => !isAlways(each))];
  const related = others.filter(({ isOwn, distance }) => isOwn || distance < Number.POSITIVE_INFINITY);
  const fast = related.filter(({ isFast }) => isFast).toSorted(compare);
  const slow = related.filter(({ isFast, isOwn }) => isOwn && !isFast).toSorted(compare);
  const selected = new Set([...always, ...fast.slice(0, mostFast), ...slow.slice(0, mostSlow)]);
  return {
    selected: tests.filter((each) => selected.has(each)).map(({ test }) => test),
    leftOut: related.filter((each) => !selected.has(each)).length,
  };
}

/** A shared package reaches all of 600. */
const mostFast = 150;
/** A large room, such as the one that executes commands, has 40 that start programs. */
const mostSlow = 8;

/** The number of folders that a path shares with the nearest changed file. */
function nearnessTo(changed: readonly string[], path: string): number {
  const own = dirname(path).split("/");
  return Math.max(
    ...changed.map((file) => {
      const folders = dirname(file).split("/");
      const parting = own.findIndex((folder, index) => folder !== folders[index]);
      return parting === -1 ? own.length : parting;
    }),
  );
}

/** Infinity minus itself is no number. */
function compareNumbers(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

/** `packages/hub/src/WING/ROOM`, and `packages/NAME/src/ROOM` elsewhere; `test/FOLDER` has the tests that cross packages. */
export function roomsOf(changed: readonly string[]): readonly string[] {
  const rooms = changed.map((path) => {
    const folders = path.split("/").slice(0, -1);
    const depth = path.startsWith("packages/hub/src/") ? 5 : 4;
    return path.startsWith("packages/") && folders.length >= depth ? folders.slice(0, depth).join("/") : undefined;
  });
  return [...new Set(rooms.filter((room) => room !== undefined))].sort();
}
