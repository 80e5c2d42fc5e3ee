// The room of commands: people ask for them, agents claim them, and one hub at a time looks after what both leave behind.
import type { Clock } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { FastifyPluginAsync } from "fastify";
import type { Kysely } from "kysely";
import type { Access } from "../../people/access/index.ts";
import type { Bus } from "../../platform/bus/index.ts";
import type { Leases } from "../../platform/leases/index.ts";
import type { CommandKeys } from "../../platform/pki/index.ts";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import type { CommandTotals, Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import type { AddServices } from "../../reach/links/index.ts";
import {
  createLogIntake,
  createLogReader,
  createLogReaders,
  createLogRoutes,
  endLostLogs,
  type LogLimits,
  type LogReader,
  type LogReaders,
  trimLogs,
} from "../runs/index.ts";
import { createAgentCalls } from "./agent-calls.ts";
import { createApprovals } from "./approvals.ts";
import { createWorkWaiters } from "./await-work.ts";
import { createClaims } from "./claims.ts";
import { isWaiting } from "./command-state.ts";
import { createWaitingExplainer } from "./explain-waiting.ts";
import { createPartyJudge, isUpheld } from "./judge-parties.ts";
import { kindsOfClaimed } from "./kinds-of.ts";
import type { QueueLimits } from "./new-command.ts";
import { createNewsDesk } from "./news.ts";
import { type CommandParts, createCommandParts } from "./parts.ts";
import { createQueue } from "./queue.ts";
import { createUsableCheck, type UsablePorts } from "./require-usable.ts";
import { forgetOld, type RetentionLimits } from "./retention.ts";
import { createCommandRights } from "./rights.ts";
import { commandRequestInvalid, createCommandRoutes } from "./routes.ts";
import { type CommandWhole, nameOf, wholeOf } from "./rows.ts";
import { createCommandRpc } from "./rpc.ts";
import { type Commands, createCommands } from "./service.ts";
import { createCommandStore, type Happened } from "./store.ts";
import { createSweep } from "./sweep.ts";
import type { TemplateUses } from "./template-uses.ts";
import { keepCommandTotals } from "./totals.ts";
import { traceOutcome } from "./trace-command.ts";
import { uphold } from "./uphold.ts";
import { startCommandUpkeep } from "./upkeep.ts";

export interface CommandsRoom extends AsyncDisposable {
  readonly addServices: AddServices;
  readonly routes: readonly FastifyPluginAsync[];
  readonly parts: CommandParts;
  readonly looking: CommandLooking;
  totals(): CommandTotals;
  /** Ends all waits of agents and lets no new ones begin, so that links can drain. */
  stop(): void;
}

/** For those who look at commands otherwise than by requests. */
export interface CommandLooking extends Pick<Commands, "summarize" | "listNewest" | "requireReadable"> {
  readonly logs: LogReader;
  readonly logReaders: LogReaders;
}

export interface CommandLimits {
  readonly queue?: QueueLimits | undefined;
  readonly log?: Partial<LogLimits> | undefined;
  readonly retention?: RetentionLimits | undefined;
}

export function openCommands(options: {
  readonly db: Kysely<Tables>;
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
  readonly access: Pick<Access, "may" | "require" | "isSignedIn" | "onChanged" | "partyOf" | "recall">;
  readonly clusters: UsablePorts["clusters"] & Pick<Clusters, "onRevoked" | "onReplaced" | "exists">;
  readonly hasHadRole: UsablePorts["hasHadRole"];
  readonly listHavingHadRole: (role: "execute") => Promise<ReadonlySet<string>>;
  readonly isMesh: boolean;
  /** Undefined: there are no commands. */
  readonly keys: CommandKeys | undefined;
  readonly bus: Pick<Bus, "hint" | "onHint">;
  readonly leases: Pick<Leases, "hold">;
  readonly templates: TemplateUses;
  readonly clock: Clock;
  readonly log: Logger;
  /** A command that is a part of something larger has ended, or begins or ends to wait for approval. */
  readonly onPartChanged?: ((whole: CommandWhole) => void) | undefined;
  /** A command is new, or is in another state. */
  readonly onChanged?: ((command: { readonly id: string; readonly cluster: string }) => void) | undefined;
  readonly limits?: CommandLimits | undefined;
  readonly tracer?: Tracer | undefined;
}): CommandsRoom {
  const { db, queries, access, clusters, keys, bus, leases, templates, clock, log, limits = {} } = options;
  const { hasHadRole, isMesh, tracer } = options;
  using undo = new DisposableStack();
  const news = undo.use(createNewsDesk(bus));
  const totals = undo.use(keepCommandTotals({ db, exists: clusters.exists, clock }));
  const store = createCommandStore({ db, onHappened });
  const sweep = createSweep({ db, store });
  const onError = (error: unknown): void => {
    // The store itself reports that it is away.
    if (!isStoreFailure(error)) log.warn({ err: error }, "work for commands failed");
  };
  const waiters = undo.use(createWorkWaiters({ db, news, clock, onError }));
  const withdraw = (): void => void sweep.withdraw().catch(onError);
  undo.defer(clusters.onRevoked(withdraw));
  undo.defer(clusters.onReplaced(withdraw));
  const rights = createCommandRights(access, templates);
  // People's requests take no connections from agents' calls.
  const people = { store: createCommandStore({ db: queries, onHappened }), queries, access, rights, templates };
  const usable = { clusters, hasHadRole, isMesh };
  const judge = createPartyJudge({ access, rights, templates });
  const approvals = createApprovals({ ...people, judge });
  const commands = createCommands({
    ...people,
    queue: createQueue(queries, { limits: limits.queue, tracer }),
    requireUsable: createUsableCheck(usable),
    explainWaiting: createWaitingExplainer({ queries, rights, clusters }),
    onQueued(command) {
      news.tell({ is: "queued", cluster: command.cluster });
      options.onChanged?.(command);
    },
  });
  const reader = createLogReader({
    db: queries,
    clock,
    onGrown: (command, listener) =>
      news.listen((told) => {
        if (told.is === "anything" || (told.is === "grown" && told.id === command)) listener();
      }),
  });
  const readers = createLogReaders();
  const upkeep = startCommandUpkeep({ sweep, leases, clock, log, forget });
  const owned = undo.move();
  return {
    addServices: keys ? createRpc(keys) : () => undefined,
    routes: [
      createCommandRoutes({ commands, approvals, access, keys }),
      createLogRoutes({
        reader,
        readers,
        access,
        requireReadable: commands.requireReadable,
        queryInvalid: commandRequestInvalid,
      }),
    ],
    parts: createCommandParts({
      commands,
      store: people.store,
      rights,
      templates,
      usable: { ...usable, listHavingHadRole: options.listHavingHadRole },
    }),
    looking: { ...commands, logs: reader, logReaders: readers },
    totals: totals.read,
    stop: () => waiters[Symbol.dispose](),
    async [Symbol.asyncDispose]() {
      await upkeep[Symbol.asyncDispose]();
      owned.dispose();
    },
  };

  function createRpc(signing: CommandKeys): AddServices {
    const calls = createAgentCalls({
      store,
      keys: signing,
      clock,
      claims: createClaims({
        db,
        freeLeases: (cluster) => sweep.freeLeases(cluster),
        uphold: (id) => uphold(store, judge, id),
        isUpheld: (row) => isUpheld(judge(row, { kinds: kindsOfClaimed(row), approvals: row.approvals ?? [] })),
      }),
    });
    const grown = new Map<string, number>();
    const logs = createLogIntake({
      db,
      clock,
      limits: limits.log,
      onGrown({ command, cluster, bytes }) {
        news.tell({ is: "grown", id: command });
        const since = (grown.get(cluster) ?? 0) + bytes;
        grown.set(cluster, since % trimEveryBytes);
        if (since >= trimEveryBytes) trimLogs(db, { cluster, limitBytes: limits.log?.clusterBytes }).catch(onError);
      },
    });
    return createCommandRpc({ calls, waiters, logs, onError });
  }

  function onHappened(happened: Happened): void {
    totals.note(happened);
    const { before, after, row } = happened;
    const { id, cluster } = row;
    if (isOtherState(happened)) options.onChanged?.(row);
    const whole = wholeOf(row);
    if (whole && [before, after].some((one) => one.is === "ended" || isWaiting(one))) options.onPartChanged?.(whole);
    if (after.is === "ended") {
      if (tracer) traceOutcome(tracer, row, after);
      news.tell({ is: "grown", id });
      // The agent that has it stops, unless it has said so itself; and the next one of its target may go.
      const isReported = after.reported !== before.reported;
      if (before.is === "held" && !isReported) news.tell({ is: "changed", cluster, id });
      news.tell({ is: "queued", cluster });
    } else if (after.is === "queued" || isWaiting(after)) news.tell({ is: "queued", cluster });
    else if (before.cancellation !== after.cancellation) news.tell({ is: "changed", cluster, id });
  }

  async function forget(signal: AbortSignal): Promise<void> {
    await trimLogs(db, { limitBytes: limits.log?.clusterBytes });
    await endLostLogs(db);
    await forgetOld(db, { limits: limits.retention, signal });
  }
}

/** As people see it. */
function isOtherState({ before, after }: Happened): boolean {
  const isApproved = before.gate?.given !== after.gate?.given;
  return nameOf(before) !== nameOf(after) || before.cancellation !== after.cancellation || isApproved;
}

const trimEveryBytes = 16 * 1024 * 1024;
