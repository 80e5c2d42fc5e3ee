// Which of the hub's projects one cluster has, by name.
import type { ProjectPart } from "@fairlead/protocol";
import { type ClusterTarget, matchesProject, type SharedKind, type SharedObject } from "../../shared/index.ts";

export interface ManagedProjects extends Disposable {
  readonly isKnown: boolean;
  has(name: string): boolean;
}

export function createManagedProjects(options: {
  readonly shared: SharedKind;
  readonly target: ClusterTarget;
  /** Not while it is made. */
  readonly onChange: () => void;
}): ManagedProjects {
  const { shared, target, onChange } = options;
  /** name -> uid */
  const matched = new Map<string, string>();
  let isKnown = false;
  const joined = shared.join({
    listed() {
      list();
      onChange();
    },
    changed: (object) => take(object, isMatch(object)),
    deleted: (object) => take(object, false),
    unlisted: () => undefined,
  });
  if (shared.isListed) list();
  return {
    get isKnown() {
      return isKnown;
    },
    has: (name) => matched.has(name),
    [Symbol.dispose]: () => joined[Symbol.dispose](),
  };

  function list(): void {
    matched.clear();
    for (const object of shared.objects.values()) if (isMatch(object)) matched.set(object.name, object.uid);
    isKnown = true;
  }

  function take({ uid, name }: SharedObject, isNow: boolean): void {
    const wasMatch = matched.has(name);
    if (isNow) matched.set(name, uid);
    else if (matched.get(name) === uid) matched.delete(name);
    if (matched.has(name) !== wasMatch) onChange();
  }

  function isMatch({ part }: SharedObject): boolean {
    return matchesProject((part as ProjectPart).spec, target);
  }
}
