// Principals for questions about someone who isn't asking.
import type { ExplainRequest } from "@fairlead/contract";
import { type Principal, robotPrefix } from "./policy/index.ts";
import type { Robots } from "./robots/index.ts";
import type { Users } from "./users/index.ts";

/** A robot by its own name or with the prefix that clusters see. */
export function robotAsker(name: string): Principal {
  const full = name.startsWith(robotPrefix) ? name : `${robotPrefix}${name}`;
  return { kind: "robot", name: full, uid: "", groups: [] };
}

export function toPrincipal(
  { robots, users }: { readonly robots: Pick<Robots, "find">; readonly users: Pick<Users, "find"> },
  subject: ExplainRequest["subject"],
): Principal {
  switch (subject.kind) {
    case "robot": {
      const asker = robotAsker(subject.name);
      return { ...asker, uid: robots.find(asker.name.slice(robotPrefix.length))?.uid ?? "" };
    }
    case "user": {
      const known = users.find(subject.name);
      const groups = subject.groups ?? known?.groups ?? [];
      return { kind: "user", name: subject.name, uid: known?.uid ?? "", groups };
    }
    case "admin-token":
      return { kind: "admin-token", name: subject.name, uid: "", groups: [] };
  }
}
