// The role `execute` as one thing: commands are claimed from the hub, carried out in the cluster, and their outcomes told.
import { mkdir } from "node:fs/promises";
import { type Clock, type FairleadError, sleep } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { KubeClient } from "@fairlead/kube";
import type { ClaimedCommand } from "@fairlead/protocol";
import { chooseExecuteFolder, chooseRecords } from "./choose-storage.ts";
import type { AgentConfig } from "./config/index.ts";
import {
  type Abilities,
  type CommandPolicy,
  type CommandRunners,
  carryOut,
  createApiRecovery,
  createCommandClaims,
  createCommandHub,
  createCommandRunners,
  createExecuteCounters,
  createLeaseRenewal,
  createReportSender,
  createSpoolRoom,
  type ExecuteCounters,
  type ExecuteLog,
  executeErrors,
  findAbilities,
  HeldCommand,
  keepOutbox,
  openCommandKeys,
  openEgress,
  readSpoolId,
  removeSpools,
} from "./execute/index.ts";
import type { CurrentLink } from "./link/index.ts";
import type { PolicyKeeper } from "./policy/index.ts";
import { keepFence, removeWorkFolders } from "./processes/index.ts";

export interface ExecutingOptions {
  readonly config: AgentConfig;
  readonly client: KubeClient;
  readonly instanceId: string;
  readonly links: CurrentLink;
  /** Asks the hub by which keys it signs; `learnKeys` is told. */
  readonly askForKeys: () => Promise<void>;
  readonly cluster: () => string | undefined;
  readonly clockSkewMs: () => number;
  /** Resolves when the hub has said its time again, or won't; not waited for unless given. */
  readonly untilTimeSaid?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly policy: CommandPolicy & Partial<Pick<PolicyKeeper, "onChanged">>;
  readonly runners?: CommandRunners;
  /** Its own variables; programs get few of them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: ExecuteLog;
  readonly tracer?: Tracer | undefined;
}

export interface Executing {
  readonly counters: ExecuteCounters;
  /** The programs that commands run, by name, with their versions. */
  readonly programs: Abilities["programs"];
  /** Commands that this agent is at work on. */
  readonly heldCount: number;
  /** The hub says by which keys it signs commands. */
  learnKeys(jwks: readonly string[]): Promise<void>;
  /** Rejects with why no command is claimed. */
  check(): Promise<void>;
  /** Takes nothing new, ends what runs, tells what is at its end, and leaves the rest to the next agent. */
  stop(options: { readonly drainMs: number }): Promise<void>;
}

export async function startExecuting(options: ExecutingOptions): Promise<Executing> {
  const { config, client, instanceId, links, askForKeys, policy, clock, log } = options;
  const { runners = createCommandRunners({ providers: config.execute.providers }) } = options;
  const { keysFile, parallel, logBytes, spoolBytes, programMemoryBytes } = config.execute;
  const keys = await openCommandKeys({ file: keysFile });
  const recovery = createApiRecovery({ client, clock });
  const records = chooseRecords(config, recovery.patient(client));
  const folder = chooseExecuteFolder(config, client);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw executeErrors.COMMAND_FOLDER_UNUSABLE({ folder, cause: error });
  });
  await removeWorkFolders(folder);
  const spoolId = await readSpoolId(folder);

  const claiming = new AbortController();
  const fence = keepFence({ ...options, wish: config.execute.fence, folder, signal: claiming.signal });
  const { environment } = options;
  const egress =
    config.execute.fence.is === "fenced"
      ? await openEgress({
          judgeHost: policy.judgeHost,
          environment,
          ownPorts: () => [config.healthListen.port],
          clock,
        })
      : undefined;
  policy.onChanged?.(() => egress?.judgeAgain());
  const abilities = await findAbilities({
    kinds: Object.keys(runners),
    isAllowed: policy.allowsKind,
    environment: options.environment,
    folder,
    fence,
    clock,
    log,
    signal: claiming.signal,
  });

  const counters = createExecuteCounters();
  const logs = { mostBytes: logBytes, room: createSpoolRoom({ mostBytes: spoolBytes }) };
  let keysAskedMs = Number.NEGATIVE_INFINITY;
  const hub = createCommandHub({ links, clock });
  const reports = createReportSender(hub);
  /** Aborts when nothing more is waited for. */
  const ending = new AbortController();
  const held = new Map<string, { readonly command: HeldCommand; readonly done: Promise<void> }>();
  const heldCommands = (): HeldCommand[] =>
    [...held.values()].map(({ command }) => command).filter((one) => !one.isOver);
  const renewal = createLeaseRenewal({ hub, instanceId, clock, log, held: heldCommands });
  const claims = createCommandClaims({
    hub,
    instanceId,
    isLinked: () => links.current !== undefined,
    shortcoming,
    take,
    clock,
    log,
    kinds: () => Object.keys(runners).filter((kind) => policy.allowsKind(kind) && abilities.canRun(kind)),
    room: () => parallel - heldCommands().length,
    onChanged: renewal.soon,
  });
  const stopLooking = links.onChange(claims.soon);
  const over = Promise.all([
    claims.run(claiming.signal),
    abilities.keep(claiming.signal),
    renewal.run(ending.signal),
    keepOutbox(
      {
        records,
        hub,
        reports,
        instanceId,
        folder,
        logs,
        spoolId,
        clock,
        log,
        clockSkewMs: options.clockSkewMs,
        isHeld: (id) => held.has(id),
        onListed: (isKnown) => removeSpools(folder, (id) => held.has(id) || isKnown(id)),
      },
      claiming.signal,
    ),
  ]).catch((error: unknown) => log.error({ err: error }, "executing stopped"));
  return {
    counters,
    programs: abilities.programs,
    get heldCount() {
      return heldCommands().length;
    },
    async learnKeys(jwks) {
      await keys.learn(jwks);
      claims.soon();
    },
    async check() {
      const why = shortcoming();
      if (why) throw why;
    },
    stop,
  };

  function shortcoming(): FairleadError | undefined {
    if (hub.client === undefined) return executeErrors.COMMAND_HUB_UNABLE();
    return keys.isEmpty ? executeErrors.COMMAND_KEYS_MISSING() : undefined;
  }

  async function refreshKeys(): Promise<void> {
    const nowMs = clock.steadyMs();
    if (nowMs - keysAskedMs < askEveryMs) return;
    keysAskedMs = nowMs;
    await (keys.arePinned ? keys.reread() : askForKeys()).catch((error: unknown) =>
      log.warn({ err: error }, "the keys of commands can't be asked for"),
    );
  }

  function take(claimed: ClaimedCommand, fromMs: number): void {
    const { id, epoch, leaseMs, cancellation } = claimed;
    const before = held.get(id);
    const limitMs = config.execute.timeLimitMs;
    const onLimit = (): void =>
      log.warn({ command: id, limitMs }, "a command runs for longer than this agent allows, and is cancelled");
    const command = new HeldCommand({ id, epoch, fromMs, leaseMs, clock, limitMs, onLimit });
    counters.claimed++;
    command.heed(cancellation);
    if (claiming.signal.aborted) command.stop("graceful");
    const done = work(claimed, command, before);
    held.set(id, { command, done });
  }

  async function work(
    claimed: ClaimedCommand,
    command: HeldCommand,
    before: { readonly command: HeldCommand; readonly done: Promise<void> } | undefined,
  ): Promise<void> {
    using _held = command;
    // A run of this process that has lost its claim comes to its end first.
    before?.command.leave();
    await before?.done;
    try {
      const dependencies = {
        ...options,
        hub,
        reports,
        keys,
        refreshKeys,
        records,
        recovery,
        runners,
        folder,
        fence,
        egress,
        logs,
        spoolId,
        programMemoryBytes,
        counters,
        signal: ending.signal,
      };
      await carryOut(dependencies, claimed, command);
    } catch (error) {
      if (!ending.signal.aborted) log.error({ err: error, command: command.id }, "a command was given up");
    }
    if (claiming.signal.aborted && !command.isOver) await renewal.giveBack(command, AbortSignal.timeout(giveBackMs));
    if (held.get(command.id)?.command === command) held.delete(command.id);
    claims.soon();
  }

  async function stop({ drainMs }: { readonly drainMs: number }): Promise<void> {
    claiming.abort(executeErrors.COMMAND_AGENT_STOPS());
    stopLooking();
    for (const command of heldCommands()) command.stop("graceful");
    const cancelForced = clock.after(drainMs / 2, () => {
      for (const command of heldCommands()) command.stop("forced");
    });
    // Also those whose outcome is told: the rest of their logs may be gone with this pod.
    const atWork = [...held.values()].map(({ done }) => done);
    await Promise.race([Promise.all(atWork), sleep(drainMs, { clock })]);
    cancelForced();
    await Promise.all(heldCommands().map((command) => renewal.giveBack(command, AbortSignal.timeout(giveBackMs))));
    ending.abort(executeErrors.COMMAND_AGENT_STOPS());
    await over;
    await egress?.[Symbol.asyncDispose]();
    // Writes of records that are on their way still end. A kind that heeds no signal isn't waited for.
    await Promise.race([Promise.all([...held.values()].map(({ done }) => done)), sleep(lastMs, { clock })]);
  }
}

const giveBackMs = 2_000;
const lastMs = 500;
/** Commands that are signed by something else don't make the agent ask for each. */
const askEveryMs = 10_000;
