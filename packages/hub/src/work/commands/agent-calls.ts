// The calls of agents about their cluster's commands.
import type { Clock } from "@fairlead/kernel";
import {
  Cancellation,
  type ClaimRequest,
  isCommandKind,
  type RenewLeasesRequest,
  type ReportAllRequest,
  type ReportRequest,
} from "@fairlead/protocol";
import type { CommandKeys } from "../../platform/pki/index.ts";
import { isStoreFailure } from "../../platform/store/index.ts";
import type { CallingAgent } from "../../reach/links/index.ts";
import { type ClaimedRow, type CommandClaims, claimMs, type HeldClaim, maxHeld } from "./claims.ts";
import { commandErrors } from "./errors.ts";
import { callInvalid, readId, readInstance, toCount } from "./read-call.ts";
import { isAccepted, readReport, tryToRead } from "./read-report.ts";
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
  readonly traceParent: string;
}

export interface LeaseFields {
  readonly id: string;
  readonly held: boolean;
  readonly leaseMs: number;
  readonly cancellation: Cancellation;
  readonly over: boolean;
}

export interface ReportAnswerFields {
  readonly accepted: boolean;
  readonly alone: boolean;
}

export interface AgentCalls {
  claim(agent: CallingAgent, request: ClaimRequest): Promise<{ readonly commands: ClaimedCommandFields[] }>;
  renew(agent: CallingAgent, request: RenewLeasesRequest): Promise<{ readonly leases: LeaseFields[] }>;
  report(agent: CallingAgent, request: ReportRequest): Promise<{ readonly accepted: boolean }>;
  reportAll(agent: CallingAgent, request: ReportAllRequest): Promise<{ readonly answers: ReportAnswerFields[] }>;
}

export function createAgentCalls(options: {
  readonly store: CommandStore;
  readonly claims: CommandClaims;
  readonly keys: Pick<CommandKeys, "sign">;
  readonly clock: Clock;
}): AgentCalls {
  const { store, claims, keys, clock } = options;
  return {
    async claim(agent, { agentInstanceId, most, kinds }) {
      const { cluster } = requireExecuting(agent);
      const instance = readInstance(agentInstanceId);
      if (most === 0 || kinds.length === 0) return { commands: [] };
      const rows = await claims.claim({
        cluster,
        agentInstanceId: instance,
        most: Math.min(most, maxHeld),
        kinds: kinds.filter(isCommandKind),
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
      const report = readReport(cluster, request);
      return { accepted: isAccepted(report, await store.happen(report.happening)) };
    },

    async reportAll(agent, { reports: requests }) {
      const { cluster } = requireExecuting(agent);
      if (requests.length > maxReports) throw callInvalid(`it has more than ${maxReports} reports`);
      const reports = requests.map((request) => tryToRead(cluster, request));
      const good = reports.filter((report) => report !== undefined);
      const happened = await store.happenAll(good.map(({ happening }) => happening)).catch((error: unknown) => {
        // A single report may fail them all, so each is to be sent again alone.
        if (isStoreFailure(error)) throw error;
        return undefined;
      });
      if (!happened) return { answers: requests.map(() => ({ accepted: false, alone: true })) };
      const accepted = new Map(good.map((report, index) => [report, isAccepted(report, happened[index])]));
      return {
        answers: reports.map((report) =>
          report ? { accepted: accepted.get(report) === true, alone: false } : { accepted: false, alone: true },
        ),
      };
    },
  };

  async function toClaimed(row: ClaimedRow): Promise<ClaimedCommandFields> {
    return {
      id: row.id,
      epoch: BigInt(row.epoch),
      leaseMs: claimMs,
      envelope: await signCommand({ keys, clock }, row),
      logOffset: BigInt(row.log_bytes),
      cancellation: toWire(row.cancellation),
      traceParent: row.trace_parent ?? "",
    };
  }

  async function give(
    id: string,
    { cluster, epoch, instance }: { readonly cluster: string; readonly epoch: number; readonly instance: string },
  ): Promise<void> {
    await store.happen({
      id,
      event: { type: "given-back" },
      reason: "the agent stops",
      holds: (row) => row.cluster === cluster && row.epoch === epoch && row.claimed_by === instance,
    });
  }
}

/** Also for each call of a link that was let in long ago: what the hub makes of its agent may have changed. */
export function requireExecuting(agent: CallingAgent): CallingAgent {
  if (!agent.roles.includes("execute")) throw commandErrors.COMMAND_ROLE_REQUIRED();
  if (agent.refusal) throw commandErrors.COMMAND_AGENT_REFUSED({ reason: agent.refusal.message });
  if (!agent.hello) throw commandErrors.COMMAND_CALL_INVALID({ reason: "a link must begin with Hello" });
  return agent;
}

function toWire(cancellation: "graceful" | "forced" | null): Cancellation {
  if (cancellation === null) return Cancellation.UNSPECIFIED;
  return cancellation === "graceful" ? Cancellation.GRACEFUL : Cancellation.FORCED;
}

const maxRenewed = 64;
const maxReports = 64;
