// Roles, bindings and robots as the files say, in one change of rights.
import type { Clock } from "@fairlead/kernel";
import {
  type Declarations,
  type DeclaredPart,
  type OwnedThing,
  saveOwned,
} from "../../../platform/declarations/index.ts";
import { toBindingName } from "../grants/index.ts";
import type { AccessRoom, Ended } from "../service.ts";
import { type AccessPlan, planAccess } from "./plan.ts";

export function createDeclaredAccess(options: {
  readonly access: AccessRoom;
  readonly clock: Clock;
  /** Puts on record what was granted for a time and ended early. */
  readonly onEnded?: ((ended: Ended) => Promise<void>) | undefined;
}): DeclaredPart {
  const { access, clock, onEnded = async () => undefined } = options;
  const { grants, robots, sessions } = access;

  return {
    async reconcile({ wanted, owned, guard }) {
      const documents = listOwn(wanted);
      const first = plan(wanted, owned);
      if (isEmpty(first) && isSame(documents, owned)) return first.findings;
      const done = await access.change(async (step) => {
        await guard(step.trx);
        // Others may have changed something since.
        const found = plan(wanted, owned);
        const early = grants
          .bindings()
          .filter(({ id, endsAt }) => endsAt !== undefined && found.removeBindings.includes(id));
        await grants.settle(found, step);
        await robots.settle({ put: found.putRobots, remove: found.removeRobots }, step);
        await saveOwned(step.trx, ["Role", "Binding", "Robot"], documents);
        return { findings: found.findings, early, tokens: robots.records().flatMap(({ tokens }) => tokens) };
      });
      access.tellChanged();
      const goneIds = new Set(done.tokens.map(({ id }) => id).filter((id) => !robots.hasToken(id)));
      if (goneIds.size > 0) await sessions.end(({ tokenId }) => tokenId !== undefined && goneIds.has(tokenId));
      // Afterwards: a record that can't be written keeps nobody's rights.
      for (const { id, subject, role, endsAt } of done.early) {
        const what = `role ${role} of ${subject.kind} ${subject.name} ended before ${endsAt}: the role or robot isn't declared any more`;
        await onEnded({ kind: "binding", id, what });
      }
      return done.findings;
    },

    list: () => [
      ...[...grants.roles.values()]
        .filter(({ isBuiltIn }) => !isBuiltIn)
        .map(({ name }) => ({ kind: "Role", name }) as const),
      ...grants.bindings().map(({ id }) => ({ kind: "Binding", name: toBindingName(id) }) as const),
      ...robots.list().map(({ name }) => ({ kind: "Robot", name }) as const),
    ],
  };

  function plan(wanted: Declarations, owned: readonly OwnedThing[]): AccessPlan {
    const now = { roles: [...grants.roles.values()], bindings: grants.bindings(), robots: robots.records() };
    return planAccess({ wanted, owned, now, nowMs: clock.now() });
  }
}

function isEmpty({ findings: _, ...changes }: AccessPlan): boolean {
  return Object.values(changes).every((list) => list.length === 0);
}

type OwnThing = Pick<OwnedThing, "kind" | "name" | "file">;

function listOwn({ roles, bindings, robots }: Declarations): OwnThing[] {
  const of = (kind: OwnedThing["kind"], all: readonly { readonly name: string; readonly file: string }[]): OwnThing[] =>
    all.map(({ name, file }) => ({ kind, name, file }));
  return [...of("Role", roles), ...of("Binding", bindings), ...of("Robot", robots)];
}

function isSame(documents: readonly OwnThing[], owned: readonly OwnedThing[]): boolean {
  const mine = owned.filter(({ kind }) => kind !== "Cluster");
  const known = new Set(mine.map(({ kind, name, file }) => `${kind} ${name} ${file}`));
  return (
    mine.length === documents.length && documents.every(({ kind, name, file }) => known.has(`${kind} ${name} ${file}`))
  );
}
