// Serves what people ask for. A command's cluster and kind decide who may ask.
import {
  type ApprovalWish,
  type Command,
  type CommandDetail,
  type CommandKindName,
  type CommandList,
  type CommandListQuery,
  type CreateCommandRequest,
  commandLimits,
  type KindAndSpec,
  placeOf,
  type RetryCommandRequest,
  retryableOutcomes,
  stepKindsOf,
} from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import { countLogBytes, listSteps } from "../runs/index.ts";
import { listApprovals } from "./approvals.ts";
import { commandErrors } from "./errors.ts";
import { findCommand } from "./find-command.ts";
import { listCommands } from "./list.ts";
import type { CommandPart, NewCommand, Queue, WantedApprovals } from "./queue.ts";
import type { Asked } from "./require-usable.ts";
import type { CommandRights } from "./rights.ts";
import { type CommandRow, toCommand, toName } from "./rows.ts";
import type { CommandStore } from "./store.ts";

export interface Commands {
  create(principal: Principal, request: CreateCommandRequest): Promise<CreatedCommand>;
  /** The same for a part of something larger. Undefined: the whole doesn't want it any more. */
  createPart(
    principal: Principal,
    request: CreateCommandRequest,
    part: CommandPart,
  ): Promise<CreatedCommand | undefined>;
  retry(principal: Principal, id: string, request: RetryCommandRequest): Promise<CreatedCommand>;
  list(principal: Principal, query: CommandListQuery): Promise<CommandList>;
  get(principal: Principal, id: string): Promise<CommandDetail>;
  cancel(principal: Principal, id: string): Promise<Command>;
  /** Throws COMMAND_NOT_FOUND. What it gives says whether the principal still may read the command, from memory. */
  requireReadable(principal: Principal, id: string): Promise<() => boolean>;
}

export interface CreatedCommand {
  readonly command: Command;
  /** False for that of an earlier request under the same key. */
  readonly isNew: boolean;
}

export function createCommands(options: {
  readonly store: CommandStore;
  readonly queue: Queue;
  readonly rights: CommandRights;
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
  /** Throws why the cluster can't be asked for anything, if so. */
  readonly requireUsable: (asked: Asked) => Promise<void>;
  readonly onQueued: (cluster: string) => void;
}): Commands {
  const { store, queue, rights, queries, requireUsable, onQueued } = options;
  return {
    async create(principal, request) {
      const created = await submit(principal, toNew(principal, request));
      if (!created) throw commandErrors.COMMAND_WITHDRAWN({ reason: "the cluster was removed" });
      return created;
    },

    createPart: async (principal, request, part) => await submit(principal, { ...toNew(principal, request), part }),

    async retry(principal, id, wishes) {
      const before = await findCommand(options, { principal, id, verb: "get" });
      const { cluster, kind, target, namespace } = before;
      const asking = { dryRun: before.dry_run, ...toWanted(toWish(before)) };
      // Whoever asks for it may read its spec.
      if (isOpen(principal, before)) rights.requireAsk(principal, before, asking);
      else rights.require(principal, "create", before);
      const state = toName(before.state);
      if (!retryableOutcomes.some((outcome) => outcome === state)) throw commandErrors.COMMAND_NOT_RETRYABLE({ state });
      const { spec } = await readLarge(id);
      for (const step of stepsOf({ kind, spec: JSON.parse(spec) } as KindAndSpec))
        rights.requireAsk(principal, { cluster, kind: step }, asking);
      const account = before.service_account === null ? {} : { serviceAccount: before.service_account };
      const asked = { cluster, kind, target, namespace, spec, retryOf: id, ...asking, ...account };
      const created = await submit(principal, { ...asked, ...wishes });
      if (!created) throw commandErrors.COMMAND_WITHDRAWN({ reason: "the cluster was removed" });
      return created;
    },

    list: (principal, query) => listCommands(queries, { principal, rights, query }),

    async get(principal, id) {
      const row = await findCommand(options, { principal, id, verb: "get" });
      const { spec, result, plan } = await readLarge(id);
      return {
        ...toCommand(row, await countLogBytes(queries, id)),
        ...(isOpen(principal, row) ? { spec: JSON.parse(spec) as unknown } : {}),
        ...(plan === null ? {} : { plan: JSON.parse(plan) as unknown }),
        ...(row.approvals_required === null ? {} : { approvals: await listApprovals(queries, id) }),
        ...(result === null ? {} : { result: JSON.parse(result) as unknown }),
        history: await listSteps(queries, id),
      };
    },

    async cancel(principal, id) {
      const row = await findCommand(options, { principal, id, verb: "update" });
      const happened = await store.happen({
        ...{ id, event: { type: "cancel-asked" }, actor: principal.name },
        reason: "asked to cancel",
      });
      const state = happened?.before ?? { is: "ended", outcome: "lost" };
      if (state.is === "ended") throw commandErrors.COMMAND_ENDED({ outcome: (happened?.row ?? row).state });
      return toCommand(happened?.row ?? row, await countLogBytes(queries, id));
    },

    async requireReadable(principal, id) {
      const row = await findCommand(options, { principal, id, verb: "get" });
      return () => rights.may(principal, "get", row);
    },
  };

  function isOpen(principal: Principal, row: CommandRow): boolean {
    if (row.requester_uid === principal.uid) return true;
    return rights.may(principal, "create", row) || rights.may(principal, "approve", row);
  }

  function toNew(principal: Principal, request: CreateCommandRequest): Wanted {
    const { cluster, kind, spec, dryRun = false, approvals, ...wishes } = request;
    const asking = { dryRun, ...toWanted(approvals) };
    for (const each of [kind, ...stepsOf({ kind, spec } as KindAndSpec)])
      rights.requireAsk(principal, { cluster, kind: each }, asking);
    return { ...{ cluster, kind, ...placeOf(kind, spec), spec: JSON.stringify(spec), ...asking }, ...wishes };
  }

  async function submit(
    principal: Principal,
    { deadlineSeconds, priority, ...command }: Wanted,
  ): Promise<CreatedCommand | undefined> {
    const { defaultDeadlineSeconds, defaultPriority } = commandLimits;
    const wanted: NewCommand = {
      ...{ ...command, requester: principal },
      ...{ deadlineSeconds: deadlineSeconds ?? defaultDeadlineSeconds, priority: priority ?? defaultPriority },
    };
    const earlier = await queue.findEarlier(wanted);
    if (!earlier) await requireUsable({ cluster: command.cluster, needsApproval: command.approvals !== undefined });
    const submitted = earlier ?? (await queue.submit(wanted));
    if (!submitted) return undefined;
    if (submitted.isNew) onQueued(command.cluster);
    const logBytes = submitted.isNew ? 0 : await countLogBytes(queries, submitted.row.id);
    return { command: toCommand(submitted.row, logBytes), isNew: submitted.isNew };
  }

  async function readLarge(id: string): Promise<Large> {
    const row = await queries
      .selectFrom("command")
      .select(["spec", "result", "plan"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) throw commandErrors.COMMAND_NOT_FOUND();
    return row;
  }
}

/** A flow is no way around the rights on what its steps do. */
function stepsOf({ kind, spec }: KindAndSpec): readonly CommandKindName[] {
  return kind === "flow" ? stepKindsOf(spec) : [];
}

function toWish(row: CommandRow): ApprovalWish | undefined {
  const { approvals_required: required, four_eyes: fourEyes, approval_seconds: seconds } = row;
  return required === null ? undefined : { required, fourEyes, seconds: seconds ?? undefined };
}

interface Large {
  readonly spec: string;
  readonly result: string | null;
  readonly plan: string | null;
}

function toWanted(wish: ApprovalWish | undefined): { readonly approvals?: WantedApprovals } {
  if (wish === undefined) return {};
  const { required = 1, fourEyes = true, seconds = commandLimits.defaultApprovalSeconds } = wish;
  return { approvals: { required, fourEyes, seconds } };
}

type Wanted = Omit<NewCommand, "requester" | "deadlineSeconds" | "priority"> & RetryCommandRequest;
