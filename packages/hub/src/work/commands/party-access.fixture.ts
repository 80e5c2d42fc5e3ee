// Rights of named people on the kinds of commands, which a test gives and takes away.
import { FairleadError } from "@fairlead/kernel";
import type { Principal } from "../../people/access/index.ts";
import type { HarnessAccess } from "./commands-harness.fixture.ts";

export interface PartyAccess extends HarnessAccess {
  /** `create manifests`, `approve *`; nobody has others than `get` and `list`. */
  give(name: string, ...rights: string[]): void;
  /** The account is removed, or its groups are too old. */
  forget(name: string): void;
  /** From now on they are one party. */
  unite(...names: string[]): void;
}

export function createPartyAccess(): PartyAccess {
  const rights = new Map<string, ReadonlySet<string>>();
  const gone = new Set<string>();
  const parties: (readonly string[])[] = [];
  const may = ({ name }: Pick<Principal, "name">, verb: string, resource: string): boolean => {
    const [what = "", kind = ""] = resource.split("/");
    if (verb === "get" || verb === "list") return true;
    const own = rights.get(name) ?? new Set();
    return own.has(`${verb} ${what === "commands" ? kind : resource}`) || own.has(`${verb} *`);
  };
  return {
    give: (name, ...given) => void rights.set(name, new Set(given)),
    forget: (name) => void gone.add(name),
    unite: (...names) => void parties.push(names.map((name) => `uid-${name}`)),
    may: (principal, { verb, resource }) => may(principal, verb, resource),
    require(principal, { verb, resource }) {
      if (!may(principal, verb, resource))
        throw new FairleadError({ code: "ACCESS_DENIED", message: `May not ${verb} ${resource}.`, httpStatus: 403 });
    },
    partyOf: ({ uid }) => [uid, ...parties.filter((party) => party.includes(uid)).flat()],
    recall: (asker) => (gone.has(asker.name) ? undefined : { ...asker, groups: [] }),
    refuseAbsent: () => undefined,
    isSignedIn: () => true,
    onChanged: () => () => undefined,
  };
}
