// What carrying out commands depends on.
import type { Clock } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { KubeClient } from "@fairlead/kube";
import type { PolicyKeeper } from "../policy/index.ts";
import type { Fence } from "../processes/index.ts";
import type { ApiRecovery } from "./api-recovery.ts";
import type { CommandHub } from "./command-hub.ts";
import type { CommandKeys } from "./command-keys.ts";
import type { ExecuteCounters } from "./counters.ts";
import type { Egress } from "./egress/index.ts";
import type { SpoolRoom } from "./log/index.ts";
import type { RecordStore } from "./records/index.ts";
import type { CommandRunners } from "./runners.ts";
import type { ReportSender } from "./send-reports.ts";

export interface ExecuteDependencies {
  readonly hub: CommandHub;
  readonly reports: ReportSender;
  readonly keys: CommandKeys;
  /** Learns what keys are good now. */
  readonly refreshKeys: () => Promise<void>;
  readonly cluster: () => string | undefined;
  readonly instanceId: string;
  /** The hub's clock minus ours. */
  readonly clockSkewMs: () => number;
  /** Resolves when the hub has said its time again, or won't. */
  readonly untilTimeSaid?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly records: RecordStore;
  readonly runners: CommandRunners;
  readonly policy: CommandPolicy;
  readonly client: KubeClient;
  readonly recovery: ApiRecovery;
  /** Where logs wait, and programs have their folders. */
  readonly folder: string;
  /** The longest log of one command, and what all of them may take of the folder. */
  readonly logs: { readonly mostBytes: number; readonly room: SpoolRoom };
  /** The disk under the folder; undefined: it takes nothing. */
  readonly spoolId: string | undefined;
  /** For programs; undefined: they have all that the agent's user has on this machine. Throws why there is none. */
  readonly fence: () => Promise<Fence | undefined>;
  /** The way out of a fence. */
  readonly egress: Egress | undefined;
  /** The agent's own variables; programs get few of them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The most memory of each process of a program. */
  readonly programMemoryBytes: number;
  readonly counters: ExecuteCounters;
  readonly clock: Clock;
  readonly log: ExecuteLog;
  readonly tracer?: Tracer | undefined;
  /** The process ends: what isn't reported by now, the next one reports. */
  readonly signal: AbortSignal;
}

export type CommandPolicy = Pick<
  PolicyKeeper,
  | "judgeCommand"
  | "judgeServiceAccount"
  | "judgeSource"
  | "judgeHost"
  | "chartHosts"
  | "tofuRules"
  | "allowsKind"
  | "listsChart"
  | "credentialRules"
>;

export interface ExecuteLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
