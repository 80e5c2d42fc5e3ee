// The port between kinds of commands and the agent. A kind knows nothing of hubs: claims, records, logs and secrets are
// behind these.
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import type { CommandSource, TofuRules } from "../policy/index.ts";
import type { CredentialPlace } from "../secrets/index.ts";
import type { Programs } from "./programs.ts";
import type { ProgramsWish } from "./programs-wish.ts";

export interface CommandRunner<Spec = unknown> {
  /** Throws COMMAND_SPEC_INVALID with what to mend. */
  parse(spec: unknown): Spec;
  /**
   * Says what would change; changes nothing outside of the record. The needs of an approved plan's run are in the
   * record or, where they are too large, in objects that end by themselves.
   */
  plan(task: Task<Spec>): Promise<PlanResult>;
  /**
   * Goes on from `task.state` when a run of the same command died: it adopts or repairs first. With
   * `task.approvedDigest` it does what the plan with this digest says, or throws COMMAND_PLAN_STALE before any effect.
   */
  run(task: Task<Spec>): Promise<RunResult>;
}

export interface Task<Spec> {
  readonly id: string;
  /** The claim's epoch; a later claim has a higher one. */
  readonly epoch: number;
  readonly spec: Spec;
  /** The person who asked for it. */
  readonly requester: string;
  /** Has the rights of the command: each request is judged by the policy of this cluster (POLICY_DENIED). */
  readonly kube: KubeClient;
  /** Throws POLICY_DENIED for what the policy of this cluster doesn't let commands fetch. */
  mayUse(source: CommandSource): void;
  /** What the policy of this cluster lets configurations of OpenTofu do. */
  tofuRules(): TofuRules;
  /** Of the hosts that programs reach these alone are Helm's, as patterns; undefined: all of them. */
  chartHosts(): readonly string[] | undefined;
  readonly log: RunLog;
  readonly state: TaskState;
  readonly secrets: SecretValues;
  /** Only a plan is wanted, and nobody will approve it: nothing of it is kept. */
  readonly isDryRun: boolean;
  /** A step of a flow: others of the same plan may change something, so that an empty plan is carried out, too. */
  readonly isStep?: boolean | undefined;
  /** The digest of the plan that people have approved; undefined where no approval is asked for. */
  readonly approvedDigest: string | undefined;
  /** A proposal that nobody who may create it has seen: its plan is made with references to Secrets left as they are. */
  readonly plansBlind: boolean;
  /** It was proposed by somebody who may not create it, and who sees nothing that could tell of Secrets. */
  readonly isProposal?: boolean | undefined;
  /**
   * To be called before each effect. Throws COMMAND_LEASE_LOST, or the reason of `signal`. An effect that puts
   * half-done things right after a graceful cancel asks for `repair`: then it throws only when the lease is lost.
   */
  mayAct(options?: { readonly repair?: boolean }): void;
  /** Aborts at a graceful cancel, a lost lease and a stop of the agent; its reason is the FairleadError that says which. */
  readonly signal: AbortSignal;
  /** Aborts when people can't wait for what a graceful cancel takes, when the lease is lost, and some time into a stop. */
  readonly forced: AbortSignal;
  /** For kinds that run programs. The opener disposes of them. `as` may name other signals to stop by. */
  openPrograms(wish: ProgramsWish, as?: ProgramsAs): Promise<Programs>;
  /** Whether the policy of this cluster lets commands of the kind run. */
  allowsKind(kind: string): boolean;
  readonly others: OtherCommands;
  /** `now()` is the hub's time, to which setting this machine's clock does nothing. The next agent may have another clock. */
  readonly clock: Clock;
}

export interface OtherCommands {
  /** Where records of commands are kept here: a lock names it. */
  readonly place: string;
  /** Whether nobody is at work on the command any more. False also where nobody knows. */
  hasEnded(command: OtherCommand, signal: AbortSignal): Promise<boolean>;
}

export interface OtherCommand {
  readonly id: string;
  readonly epoch: number;
  /** Where its record is kept, as its lock says. */
  readonly place: string | undefined;
}

export interface ProgramsAs {
  readonly signal: AbortSignal;
  readonly forced: AbortSignal;
  readonly log: RunLog;
}

export interface RunResult {
  /** The result that the hub keeps, as JSON. It is redacted before it leaves. */
  readonly json: unknown;
  /** The command waits until people have approved this plan, and its run goes on then. Only with `approvedDigest`. */
  readonly asks?: PlanResult | undefined;
  /** The command failed all the same: parts of it did what the result says. */
  readonly failure?: FairleadError | undefined;
}

export interface PlanResult extends RunResult {
  /** SHA-256 in hex of all that decides what is done: the same plan has the same digest. */
  readonly digest: string;
  /** Nothing would change, so there is nothing to approve. */
  readonly isEmpty: boolean;
}

export interface RunLog {
  /**
   * Takes a line or several; `isCut` when the last one goes on with the next call. Known secret values are masked
   * before the lines are kept and sent. Never throws and never waits.
   */
  line(text: string, isCut?: boolean): void;
}

/** A kind's memory of a command in the cluster, so that another agent can go on. */
export interface TaskState {
  /** The last state written, also by a run that died. */
  read(): unknown;
  /**
   * Resolves when the cluster has it. Throws COMMAND_LEASE_LOST when another agent has the command by now, and
   * COMMAND_STATE_TOO_LARGE. Writes follow on each other: the last one counts.
   */
  write(state: unknown): Promise<void>;
}

export type Credentials = Pick<SecretValues, "resolve" | "conceal">;

export interface SecretValues {
  /**
   * Replaces references (`${secret:NAMESPACE/NAME/KEY}`, `${configmap:NAMESPACE/NAME/KEY}`) in one string by what they
   * name, and `$${secret:` by `${secret:`. Values of Secrets are masked from then on in all that leaves.
   */
  resolve(text: string): Promise<string>;
  /**
   * For credentials, which go to one place. Throws SECRET_HOST_NOT_ALLOWED for a Secret that isn't meant for it, and
   * SECRET_HOST_UNENCRYPTED.
   */
  forHost(place: CredentialPlace): Credentials;
  /** The same with another signal. */
  heeding(signal: AbortSignal): SecretValues;
  /** Masks a value that the kind got from elsewhere. */
  conceal(value: string): void;
  /** All values that are masked by now. A kind that keeps secrets for a later run keeps these beside them, sealed. */
  concealed(): readonly string[];
  /** `NAMESPACE/NAME` of the Secrets that were read for the command, `NAMESPACE/*` for all of them. */
  readonly read: Set<string>;
  /**
   * A JSON value with all known values masked. A kind masks a value before it keeps it for later: another agent may not
   * know the secrets.
   */
  redact(json: unknown): unknown;
}
