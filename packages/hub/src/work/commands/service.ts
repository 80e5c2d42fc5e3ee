// Serves what people ask for. A command's cluster and kind decide who may ask.
import {
  type ApprovalWish,
  type Command,
  type CommandDetail,
  type CommandList,
  type CommandListQuery,
  type CreateCommandRequest,
  commandLimits,
  placeOf,
  type RetryCommandRequest,
  type RunFilter,
  retryableOutcomes,
} from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Access, Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import { countLogBytes, listSteps } from "../runs/index.ts";
import { listApprovals } from "./approvals.ts";
import { keepAsker } from "./askers.ts";
import { commandErrors } from "./errors.ts";
import type { ExplainWaiting } from "./explain-waiting.ts";
import { findCommand } from "./find-command.ts";
import { judgeProposal } from "./judge-proposal.ts";
import { kindsOfRequest } from "./kinds-of.ts";
import { listCommands, listNewest } from "./list.ts";
import type { CommandPart, NewCommand, WantedApprovals } from "./new-command.ts";
import type { Queue } from "./queue.ts";
import type { CommandRights } from "./rights.ts";
import { type CommandRow, toCommand, toName } from "./rows.ts";
import type { CommandStore } from "./store.ts";
import { type FilledCommandRequest, type TemplateUses, toUse, type UsedTemplate } from "./template-uses.ts";

export interface Commands {
  create(principal: Principal, request: CreateCommandRequest): Promise<CreatedCommand>;
  /** The same for a part of something larger. Undefined: the whole doesn't want it any more. */
  createPart(
    principal: Principal,
    request: FilledCommandRequest,
    part: CommandPart,
  ): Promise<CreatedCommand | undefined>;
  retry(principal: Principal, id: string, request: RetryCommandRequest): Promise<CreatedCommand>;
  list(principal: Principal, query: CommandListQuery): Promise<CommandList>;
  listNewest(principal: Principal, filter: RunFilter): Promise<readonly Command[]>;
  get(principal: Principal, id: string): Promise<CommandDetail>;
  /** As it is in a list. Throws COMMAND_NOT_FOUND. */
  summarize(principal: Principal, id: string): Promise<Command>;
  cancel(principal: Principal, id: string): Promise<Command>;
  /**
   * Throws COMMAND_NOT_FOUND. Gives a function that says from memory whether the principal still may read the command.
   */
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
  readonly access: Pick<Access, "partyOf">;
  readonly rights: CommandRights;
  readonly templates: TemplateUses;
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
  /** Throws why the cluster can't be asked for anything, if so. */
  readonly requireUsable: (cluster: string) => Promise<void>;
  readonly explainWaiting: ExplainWaiting;
  readonly onQueued: (command: { readonly id: string; readonly cluster: string }) => void;
}): Commands {
  const { store, queue, access, rights, templates, queries, requireUsable, explainWaiting, onQueued } = options;
  return {
    async create(principal, request) {
      const created = await submit(principal, await toNew(principal, await templates.fill(principal, request)));
      if (!created) throw commandErrors.COMMAND_WITHDRAWN({ reason: "the cluster was removed" });
      return created;
    },

    createPart: async (principal, request, part) =>
      await submit(principal, { ...(await toNew(principal, request)), part }),

    async retry(principal, id, wishes) {
      const before = await findCommand(options, { principal, id, verb: "get" });
      const { cluster, kind, dry_run: dryRun } = before;
      const approvals = toWish(before);
      // A retry gives its requester the right to read the spec, so that right is needed first.
      if (before.template === null && !isOpen(principal, before)) rights.require(principal, "create", before);
      const state = toName(before.state);
      if (!retryableOutcomes.some((outcome) => outcome === state)) throw commandErrors.COMMAND_NOT_RETRYABLE({ state });
      const { spec, parameters } = await readLarge(id);
      const asking = { cluster, dryRun, approvals, ...wishes };
      const use = usedBy(before, parameters);
      const asked = use
        ? await templates.fill(principal, { ...asking, ...toUse(use) })
        : { ...asking, kind, spec: JSON.parse(spec), serviceAccount: before.service_account ?? undefined };
      const created = await submit(principal, {
        ...(await toNew(principal, asked as FilledCommandRequest)),
        retryOf: id,
      });
      if (!created) throw commandErrors.COMMAND_WITHDRAWN({ reason: "the cluster was removed" });
      return created;
    },

    list: (principal, query) => listCommands(queries, { principal, rights, query }),

    listNewest: (principal, query) => listNewest(queries, { principal, rights, query }),

    async get(principal, id) {
      const row = await findCommand(options, { principal, id, verb: "get" });
      const { spec, result, plan, parameters } = await readLarge(id);
      const waiting = await explainWaiting(principal, row);
      return {
        ...toCommand(row, await countLogBytes(queries, id)),
        ...(waiting && { waiting }),
        ...(parameters === null ? {} : { parameters: JSON.parse(parameters) as Record<string, unknown> }),
        ...(isOpen(principal, row) ? { spec: JSON.parse(spec) as unknown } : {}),
        ...(plan === null ? {} : { plan: JSON.parse(plan) as unknown }),
        ...(row.approvals_required === null ? {} : { approvals: await listApprovals(queries, id) }),
        ...(result === null ? {} : { result: JSON.parse(result) as unknown }),
        history: await listSteps(queries, id),
      };
    },

    async summarize(principal, id) {
      const row = await findCommand(options, { principal, id, verb: "get" });
      return toCommand(row, await countLogBytes(queries, id));
    },

    async cancel(principal, id) {
      const row = await findCommand(options, { principal, id, verb: "update" });
      const happened = await store.happen({
        id,
        event: { type: "cancel-asked" },
        actor: principal.name,
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
    // Users of a template don't see the spec that it made.
    if (row.requester_uid === principal.uid && row.template === null) return true;
    return rights.may(principal, "create", row) || rights.may(principal, "approve", row);
  }

  /** Throws ACCESS_DENIED, or why a template can't be used there. */
  async function toNew(principal: Principal, request: FilledCommandRequest): Promise<Wanted> {
    const { cluster, kind, spec, dryRun = false, approvals, ...wishes } = request;
    const asking = { dryRun, ...toWanted(approvals) };
    if (request.template) (await templates.checkAll(principal, request.template))(cluster);
    else for (const each of kindsOfRequest(request)) rights.requireAsk(principal, { cluster, kind: each }, asking);
    const proposal = (await judgeProposal({ rights, templates }, principal, request))(cluster);
    const whole = { cluster, kind, ...placeOf(kind, spec), spec: JSON.stringify(spec), ...asking };
    return { ...whole, ...wishes, ...(proposal && { proposal }) };
  }

  async function submit(
    principal: Principal,
    { deadlineSeconds, priority, ...command }: Wanted,
  ): Promise<CreatedCommand | undefined> {
    const { defaultDeadlineSeconds, defaultPriority } = commandLimits;
    const wanted: NewCommand = {
      ...command,
      requester: { name: principal.name, uid: principal.uid, asker: keepAsker(access, principal) },
      deadlineSeconds: deadlineSeconds ?? defaultDeadlineSeconds,
      priority: priority ?? defaultPriority,
    };
    const earlier = await queue.findEarlier(wanted);
    if (!earlier) await requireUsable(command.cluster);
    const submitted = earlier ?? (await queue.submit(wanted));
    if (!submitted) return undefined;
    if (submitted.isNew) onQueued(submitted.row);
    const logBytes = submitted.isNew ? 0 : await countLogBytes(queries, submitted.row.id);
    return { command: toCommand(submitted.row, logBytes), isNew: submitted.isNew };
  }

  async function readLarge(id: string): Promise<Large> {
    const row = await queries
      .selectFrom("command")
      .select(["spec", "result", "plan", "parameters"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) throw commandErrors.COMMAND_NOT_FOUND();
    return row;
  }
}

function usedBy(row: CommandRow, parameters: string | null): UsedTemplate | undefined {
  const { template: name, template_revision: revision } = row;
  if (name === null || revision === null || parameters === null) return undefined;
  return { name, revision, parameters: JSON.parse(parameters) as UsedTemplate["parameters"] };
}

function toWish(row: CommandRow): ApprovalWish | undefined {
  const { approvals_required: required, four_eyes: fourEyes, approval_seconds: seconds } = row;
  return required === null ? undefined : { required, fourEyes, seconds: seconds ?? undefined };
}

interface Large {
  readonly spec: string;
  readonly result: string | null;
  readonly plan: string | null;
  readonly parameters: string | null;
}

function toWanted(wish: ApprovalWish | undefined): { readonly approvals?: WantedApprovals } {
  if (wish === undefined) return {};
  const { required = 1, fourEyes = true, seconds = commandLimits.defaultApprovalSeconds } = wish;
  return { approvals: { required, fourEyes, seconds } };
}

type Wanted = Omit<NewCommand, "requester" | "deadlineSeconds" | "priority"> & RetryCommandRequest;
