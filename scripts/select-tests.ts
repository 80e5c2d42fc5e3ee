import { relative } from "node:path";

/** The members of vitest's TestSpecification that are used here. */
interface Specification {
  readonly moduleId: string;
  readonly project: { readonly name: string };
}

/**
 * Selects what a change of a few rooms is likely to break: all tests of these rooms, fast tests that import them, and
 * changed tests themselves. Hubs import all rooms, so a test that plays one would be related to every change.
 */
export function selectTests<Test extends Specification>({
  all,
  related,
  changed,
  root,
}: {
  readonly all: readonly Test[];
  /** The tests whose imports lead to a changed file. */
  readonly related: ReadonlySet<Test>;
  /** Paths below `root`. */
  readonly changed: readonly string[];
  readonly root: string;
}): { readonly selected: readonly Test[]; readonly leftOut: number } {
  const rooms = roomsOf(changed);
  const isSelected = (test: Test): boolean => {
    const path = relative(root, test.moduleId);
    if (changed.includes(path) || rooms.some((room) => path.startsWith(`${room}/`))) return true;
    if (path.startsWith("test/architecture/")) return true;
    return test.project.name === "unit" && related.has(test);
  };
  const selected = all.filter(isSelected);
  return { selected, leftOut: [...related].filter((test) => !selected.includes(test)).length };
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
