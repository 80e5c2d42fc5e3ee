// What agents ask of the hub about their cluster's commands.
import {
  Cancellation,
  type ClaimRequest,
  capabilities,
  isCommandKind,
  type RenewLeasesRequest,
  type ReportRequest,
} from "@fairlead/protocol";
import type { CommandKeys } from "../../platform/pki/index.ts";
import { toStorableText } from "../../platform/store/index.ts";
import type { CallingAgent } from "../../reach/links/index.ts";
import { type ClaimedRow, type CommandClaims, claimMs, type HeldClaim, maxHeld } from "./claims.ts";
import { isCommandId } from "./command-id.ts";
import { isOutcome, isReportedState, judgeReport, type ReportedState } from "./command-state.ts";
import { commandErrors } from "./errors.ts";
import { signCommand } from "./signing.ts";
import type { CommandStore } from "./store.ts";

/** Messages of fairlead.commands.v1, without what Connect adds to them. */
export interface ClaimedCommandFields {
  readonly id: string;
  readonly epoch: bigint;
  readonly leaseMs: number;
  readonly envelope: string;
  readonly logOffset: bigint;
  readonly cancellation: Cancellation;
}

export interface LeaseFields {
  readonly id: string;
  readonly held: boolean;
  readonly leaseMs: number;
  readonly cancellation: Cancellation;
  readonly over: boolean;
}

export interface AgentCalls {
  claim(agent: CallingAgent, request: ClaimRequest): Promise<{ readonly commands: ClaimedCommandFields[] }>;
  renew(agent: CallingAgent, request: RenewLeasesRequest): Promise<{ readonly leases: LeaseFields[] }>;
  report(agent: CallingAgent, request: ReportRequest): Promise<{ readonly accepted: boolean }>;
}

export function createAgentCalls(options: {
  readonly store: CommandStore;
  readonly claims: CommandClaims;
  readonly keys: Pick<CommandKeys, "sign">;
  /** Makes the cluster's commands whose leases are over free to be claimed. */
  readonly freeLeases: (cluster: string) => Promise<void>;
}): AgentCalls {
  const { store, claims, keys, freeLeases } = options;
  return {
    async claim(agent, { agentInstanceId, most, kinds }) {
      const { cluster } = requireExecuting(agent);
      const instance = readInstance(agentInstanceId);
      if (most === 0 || kinds.length === 0) return { commands: [] };
      await freeLeases(cluster);
      const rows = await claims.claim({
        ...{ cluster, agentInstanceId: instance, most: Math.min(most, maxHeld) },
        kinds: kinds.filter(isCommandKind),
        canPlan: canPlan(agent),
      });
      return { commands: await Promise.all(rows.map((row) => toClaimed(row))) };
    },

    async renew(agent, { agentInstanceId, commands }) {
      const { cluster } = requireExecuting(agent);
      const instance = readInstance(agentInstanceId);
      if (commands.length > maxRenewed) throw callInvalid(`it names more than ${maxRenewed} commands`);
      const held = commands.map(({ id, epoch, giveBack }) => ({ id: readId(id), epoch: toCount(epoch), giveBack }));
      for (const { id, epoch, giveBack } of held) {
        if (giveBack) await give(id, { cluster, epoch, instance });
      }
      const renewed = await claims.renew(cluster, instance, held);
      const leaseOf = ({ id, epoch }: HeldClaim) => renewed.find((one) => one.id === id && one.epoch === epoch);
      const lapsed = held.filter((one) => leaseOf(one) === undefined);
      const open = await claims.listOpen(
        cluster,
        lapsed.map(({ id }) => id),
      );
      return {
        leases: held.map((one) => {
          const lease = leaseOf(one);
          const cancellation = toWire(lease?.cancellation ?? null);
          const over = lease === undefined && !open.has(one.id);
          return { id: one.id, held: lease !== undefined, leaseMs: lease ? claimMs : 0, cancellation, over };
        }),
      };
    },

    async report(agent, request) {
      const { cluster } = requireExecuting(agent);
      const { id } = request;
      const told = readReport(request);
      const event = {
        type: "reported",
        epoch: toCount(request.epoch),
        sequence: toCount(request.sequence),
        state: told.state,
      } as const;
      const happened = await store.happen({
        ...{ id: readId(id), event, reason: told.code },
        holds: (row) => row.cluster === cluster,
        outcome: (after) => (after.is === "ended" || after.is === "awaiting" ? told : undefined),
      });
      if (!happened || happened.row.cluster !== cluster) return { accepted: false };
      return { accepted: judgeReport(happened.before, event) !== "refused" };
    },
  };

  async function toClaimed(row: ClaimedRow): Promise<ClaimedCommandFields> {
    return {
      ...{ id: row.id, epoch: BigInt(row.epoch), leaseMs: claimMs, envelope: await signCommand(keys, row) },
      ...{ logOffset: BigInt(row.log_bytes), cancellation: toWire(row.cancellation) },
    };
  }

  async function give(
    id: string,
    { cluster, epoch, instance }: { readonly cluster: string; readonly epoch: number; readonly instance: string },
  ): Promise<void> {
    await store.happen({
      ...{ id, event: { type: "given-back" }, reason: "the agent stops" },
      holds: (row) => row.cluster === cluster && row.epoch === epoch && row.claimed_by === instance,
    });
  }
}

/** Also for each call of a link that was let in long ago: what the hub makes of its agent may have changed. */
export function requireExecuting(agent: CallingAgent): CallingAgent {
  if (!agent.roles.includes("execute")) throw commandErrors.COMMAND_ROLE_REQUIRED();
  if (agent.refusal) throw commandErrors.COMMAND_AGENT_REFUSED({ reason: agent.refusal.message });
  if (!agent.hello) throw commandErrors.COMMAND_CALL_INVALID({ reason: "a link begins with Hello" });
  return agent;
}

export function canPlan({ hello }: CallingAgent): boolean {
  return hello?.capabilities.includes(capabilities.plans) === true;
}

interface Told {
  readonly state: ReportedState;
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly result?: string;
  readonly plan?: { readonly digest: string; readonly json: string };
  readonly logEnd?: number;
}

/** What is reported can't be refused for its size: the agent would say it for ever. */
function readReport(request: ReportRequest): Told {
  const { state } = request;
  if (!isReportedState(state)) throw callInvalid("it names no state that an agent may report");
  return state === "planned" ? readPlan(request) : { state, ...readOutcome(request) };
}

/** A plan that nobody can be shown can't be approved: that ends the command. */
function readPlan({ resultJson, planDigest: digest }: ReportRequest): Told {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw callInvalid("it names no digest of a plan");
  const json = readResult(resultJson);
  if (json !== undefined) return { state: "planned", plan: { digest, json } };
  const { code, message, hint = "" } = commandErrors.COMMAND_PLAN_UNREADABLE({ limitBytes: maxResultBytes });
  return { state: "failed", code, message, hint };
}

function readOutcome(request: ReportRequest): Omit<Told, "state" | "plan"> {
  const { code, message, hint, resultJson, logBytes, state } = request;
  const result = isOutcome(state) ? readResult(resultJson) : undefined;
  return {
    ...(code === "" ? {} : { code: toStorableText(code, 64), message: toStorableText(message, 8_192) }),
    ...(code === "" || hint === "" ? {} : { hint: toStorableText(hint, 4_096) }),
    ...(result === undefined ? {} : { result }),
    logEnd: toCount(logBytes),
  };
}

/** Undefined for none, for one that is too large, and for what isn't JSON. */
function readResult(bytes: Uint8Array): string | undefined {
  if (bytes.byteLength === 0 || bytes.byteLength > maxResultBytes) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

function readInstance(text: string): string {
  if (!/^[\x20-\x7e]{1,128}$/.test(text)) throw callInvalid("it doesn't say which agent calls");
  return text;
}

export function readId(text: string): string {
  if (!isCommandId(text)) throw callInvalid("it names no command");
  return text;
}

/** Larger ones than a column holds are nobody's. */
export function toCount(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw callInvalid("a number in it is too large");
  return Number(value);
}

function toWire(cancellation: "graceful" | "forced" | null): Cancellation {
  if (cancellation === null) return Cancellation.UNSPECIFIED;
  return cancellation === "graceful" ? Cancellation.GRACEFUL : Cancellation.FORCED;
}

function callInvalid(reason: string) {
  return commandErrors.COMMAND_CALL_INVALID({ reason });
}

const maxRenewed = 64;
const maxResultBytes = 1024 * 1024;
