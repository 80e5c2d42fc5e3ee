// Serves what people ask about stacks.
import {
  type CreateStackRunRequest,
  type DeclaredResources,
  type StackAction,
  type StackDetail,
  type StackList,
  type StackListQuery,
  type StackRunDetail,
  type StackRunList,
  type StackRunListQuery,
  stackNameSchema,
} from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Principal } from "../../../people/access/index.ts";
import { createReaders } from "../../../platform/server/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import { type CommandParts, requireUsableTexts, toIdempotency } from "../../commands/index.ts";
import { findEarlierRun } from "../find-earlier.ts";
import type { GraphRunPort } from "../port.ts";
import { settleRun } from "../settle.ts";
import { addRun } from "./add-run.ts";
import { readResources } from "./declaration.ts";
import { stackErrors } from "./errors.ts";
import type { StackKinds } from "./kinds.ts";
import { listStackRuns, listStacks, readStack, readStackRun, readSteps, toRunDetail } from "./queries.ts";
import { type StackRights, verbOf } from "./rights.ts";
import type { RunRow } from "./rows.ts";
import type { StackShares } from "./shares.ts";

export interface Stacks {
  run(principal: Principal, name: string, request: CreateStackRunRequest): Promise<CreatedStackRun>;
  list(principal: Principal, query: StackListQuery): Promise<StackList>;
  get(principal: Principal, name: string): Promise<StackDetail>;
  listRuns(principal: Principal, name: string, query: StackRunListQuery): Promise<StackRunList>;
  getRun(principal: Principal, name: string, id: string): Promise<StackRunDetail>;
  cancel(principal: Principal, name: string, id: string): Promise<StackRunDetail>;
}

export interface CreatedStackRun {
  readonly run: StackRunDetail;
  /** False for that of an earlier request under the same key. */
  readonly isNew: boolean;
}

export function createStacks(options: {
  readonly db: Kysely<Tables>;
  readonly port: GraphRunPort<RunRow>;
  readonly rights: StackRights;
  readonly parts: Pick<CommandParts, "checkAll">;
  readonly kinds: StackKinds;
  readonly shares: StackShares;
  /** Something is to be done for the run. */
  readonly onChanged: (run: string) => void;
}): Stacks {
  const { db, port, rights, parts, kinds, shares, onChanged } = options;
  const reading = createReaders({ most: 8, mostOfOne: 2 });
  return {
    async run(principal, name, { idempotencyKey, ...request }) {
      if (!stackNameSchema.safeParse(name).success)
        throw stackErrors.STACK_REQUEST_INVALID({ problems: "the stack's name isn't a DNS label" });
      const { action, resources = {}, maxParallel } = request;
      rights.require(principal, verbOf(action), name);
      const idempotency = toIdempotency(idempotencyKey, { ...request, name });
      const earlier = await findEarlierRun(db, port, { uid: principal.uid, idempotency });
      if (earlier) return { run: await findRun(name, earlier.id), isNew: false };
      const leave = reading.enter(principal.uid);
      if (!leave) throw stackErrors.STACK_READERS_BUSY({ who: `${principal.name}, or for all users together` });
      try {
        const declared = readResources(resources, kinds);
        // As a whole, since reading texts of all of them one after the other would hold others up.
        requireUsableTexts(resources, "resources");
        await requireUsable(principal, action, resources);
        const asked = { stack: name, action, declared, requester: principal, maxParallel, idempotency };
        const { id, isNew } = await addRun(db, asked, { port, kinds, shares });
        onChanged(id);
        return { run: await findRun(name, id), isNew };
      } finally {
        leave();
      }
    },

    list: (principal, query) => listStacks(db, query, (name) => rights.may(principal, "list", name)),

    async get(principal, name) {
      const stack = rights.may(principal, "get", name) ? await readStack(db, name) : undefined;
      if (!stack) throw stackErrors.STACK_NOT_FOUND();
      return stack;
    },

    async listRuns(principal, name, query) {
      requireSeen(principal, name);
      return await listStackRuns(db, name, query);
    },

    async getRun(principal, name, id) {
      requireSeen(principal, name);
      return await findRun(name, id);
    },

    async cancel(principal, name, id) {
      requireSeen(principal, name);
      const { action } = await findRun(name, id);
      rights.require(principal, verbOf(action), name);
      const detail = await db.transaction().execute(async (trx) => {
        const settled = await settleRun(trx, port, { id, event: { type: "cancel-asked" }, actor: principal.name });
        if (!settled) throw stackErrors.STACK_RUN_NOT_FOUND();
        const { before, row } = settled;
        if (before.is === "ended") throw stackErrors.STACK_RUN_ENDED({ state: row.state });
        return toRunDetail(row, await readSteps(trx, id));
      });
      onChanged(id);
      return detail;
    },
  };

  /** Before anything begins. It is judged again as each command is made. */
  async function requireUsable(principal: Principal, action: StackAction, resources: DeclaredResources): Promise<void> {
    const all = Object.values(resources);
    for (const alike of Map.groupBy(all, ({ kind, approvals }) => JSON.stringify([kind, approvals])).values()) {
      const [first] = alike;
      if (!first) continue;
      const { kind, approvals } = first;
      const asked = action === "plan" ? { kind, dryRun: true } : { kind, approvals };
      const check = await parts.checkAll(principal, asked);
      for (const cluster of new Set(alike.map((resource) => resource.cluster))) await check(cluster);
    }
  }

  /** Throws STACK_NOT_FOUND to people who may not see the stack. */
  function requireSeen(principal: Principal, name: string): void {
    if (!rights.may(principal, "get", name)) throw stackErrors.STACK_NOT_FOUND();
  }

  async function findRun(name: string, id: string): Promise<StackRunDetail> {
    const run = /^srun_[0-9a-z]{26}$/.test(id) ? await readStackRun(db, name, id) : undefined;
    if (!run) throw stackErrors.STACK_RUN_NOT_FOUND();
    return run;
  }
}
