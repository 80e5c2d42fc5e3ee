// Serves what people ask for. A command's cluster and kind decide who may ask.
import {
  type Command,
  type CommandDetail,
  type CommandList,
  type CommandListQuery,
  type CreateCommandRequest,
  commandLimits,
  placeOf,
  type RetryCommandRequest,
  retryableOutcomes,
} from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import { listSteps } from "../runs/index.ts";
import { isCommandId } from "./command-id.ts";
import { commandErrors } from "./errors.ts";
import { listCommands } from "./list.ts";
import type { CommandPart, NewCommand, Queue } from "./queue.ts";
import type { CommandRights, CommandVerb } from "./rights.ts";
import { type CommandRow, toCommand } from "./rows.ts";
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
  readonly requireUsable: (cluster: string) => Promise<void>;
  readonly onQueued: (cluster: string) => void;
}): Commands {
  const { store, queue, rights, queries, requireUsable, onQueued } = options;
  return {
    async create(principal, request) {
      const created = await submit(principal, toWanted(principal, request));
      if (!created) throw commandErrors.COMMAND_WITHDRAWN({ reason: "the cluster was removed" });
      return created;
    },

    createPart: async (principal, request, part) => await submit(principal, { ...toWanted(principal, request), part }),

    async retry(principal, id, wishes) {
      const before = await findFor(principal, id, "create");
      const { cluster, kind, target, namespace, dry_run: dryRun, state } = before;
      if (!retryableOutcomes.some((outcome) => outcome === state)) throw commandErrors.COMMAND_NOT_RETRYABLE({ state });
      const { spec } = await readLarge(id);
      const again = { ...{ cluster, kind, target, namespace, spec, dryRun, retryOf: id }, ...wishes };
      const created = await submit(principal, again);
      if (!created) throw commandErrors.COMMAND_WITHDRAWN({ reason: "the cluster was removed" });
      return created;
    },

    list: (principal, query) => listCommands(queries, { principal, rights, query }),

    async get(principal, id) {
      const row = await findFor(principal, id, "get");
      const { spec, result } = await readLarge(id);
      const isOpen = row.requester_uid === principal.uid || rights.may(principal, "create", row);
      return {
        ...toCommand(row, await countLogBytes(id)),
        ...(isOpen ? { spec: JSON.parse(spec) as unknown } : {}),
        ...(result === null ? {} : { result: JSON.parse(result) as unknown }),
        history: await listSteps(queries, id),
      };
    },

    async cancel(principal, id) {
      const row = await findFor(principal, id, "update");
      const happened = await store.happen({
        ...{ id, event: { type: "cancel-asked" }, actor: principal.name },
        reason: "asked to cancel",
      });
      const state = happened?.before ?? { is: "ended", outcome: "lost" };
      if (state.is === "ended") throw commandErrors.COMMAND_ENDED({ outcome: (happened?.row ?? row).state });
      return toCommand(happened?.row ?? row, await countLogBytes(id));
    },

    async requireReadable(principal, id) {
      const row = await findFor(principal, id, "get");
      return () => rights.may(principal, "get", row);
    },
  };

  function toWanted(principal: Principal, request: CreateCommandRequest): Wanted {
    const { cluster, kind, spec, dryRun = false, ...wishes } = request;
    rights.require(principal, "create", { cluster, kind });
    return { ...{ cluster, kind, ...placeOf(kind, spec), spec: JSON.stringify(spec), dryRun }, ...wishes };
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
    if (!earlier) await requireUsable(command.cluster);
    const submitted = earlier ?? (await queue.submit(wanted));
    if (!submitted) return undefined;
    if (submitted.isNew) onQueued(command.cluster);
    const logBytes = submitted.isNew ? 0 : await countLogBytes(submitted.row.id);
    return { command: toCommand(submitted.row, logBytes), isNew: submitted.isNew };
  }

  /** Whoever may not see it isn't told that it is there. */
  async function findFor(principal: Principal, id: string, verb: CommandVerb): Promise<CommandRow> {
    const row = isCommandId(id) ? await store.find(id) : undefined;
    if (!row || !rights.may(principal, "get", row)) throw commandErrors.COMMAND_NOT_FOUND();
    rights.require(principal, verb, row);
    return row;
  }

  async function readLarge(id: string): Promise<{ readonly spec: string; readonly result: string | null }> {
    const row = await queries.selectFrom("command").select(["spec", "result"]).where("id", "=", id).executeTakeFirst();
    if (!row) throw commandErrors.COMMAND_NOT_FOUND();
    return row;
  }

  async function countLogBytes(id: string): Promise<number> {
    const row = await queries.selectFrom("command_log").select("bytes").where("command", "=", id).executeTakeFirst();
    return row?.bytes ?? 0;
  }
}

type Wanted = Omit<NewCommand, "requester" | "deadlineSeconds" | "priority"> & RetryCommandRequest;
