// A hub where some people may only propose, and an agent that holds back what they propose.
import { randomUUID } from "node:crypto";
import type { Command, CommandDetail } from "@fairlead/contract";
import { decodeJwt, decodeProtectedHeader } from "jose";
import {
  type CommandsHarness,
  type HarnessHub,
  type HarnessHubOptions,
  openCommandsHarness,
} from "./commands-harness.fixture.ts";
import { createPartyAccess, type PartyAccess } from "./party-access.fixture.ts";

export interface ProposalsHarness extends ProposingHub {
  readonly access: PartyAccess;
}

export interface ProposingHub extends AsyncDisposable {
  readonly harness: CommandsHarness;
  readonly hub: HarnessHub;
  /** Another one for each test. */
  newCluster(): Promise<string>;
  submit(user: string, more?: object): Promise<Command>;
  claim(at?: HarnessHub): Promise<readonly ClaimedOne[]>;
  report(id: string, epoch: bigint, state: string, more?: object): Promise<{ readonly accepted: boolean }>;
  hold(id: string, epoch?: bigint): Promise<{ readonly accepted: boolean }>;
  tellPlan(id: string, epoch?: bigint): Promise<{ readonly accepted: boolean }>;
  decide(
    id: string,
    what: "approve" | "approve-plan" | "reject" | "cancel",
    user: string,
    at?: HarnessHub,
  ): Promise<Decided>;
}

export interface ClaimedOne {
  readonly id: string;
  readonly epoch: bigint;
  readonly typ: string | undefined;
  readonly envelope: Readonly<Record<string, unknown>>;
}

export interface Decided {
  readonly status: number;
  readonly json: CommandDetail & { readonly code?: string };
}

export async function openProposalsHarness(): Promise<ProposalsHarness> {
  const access = createPartyAccess();
  return { ...(await openProposingHub({ access })), access };
}

export async function openProposingHub(
  options: Pick<HarnessHubOptions, "access" | "principalOf">,
): Promise<ProposingHub> {
  const harness = await openCommandsHarness();
  const hub = await harness.openHub(options);
  let cluster = "";
  const report: ProposingHub["report"] = (id, epoch, state, more = {}) =>
    hub.agent(cluster).report({ id, epoch, sequence: 9n, state, ...more });
  return {
    harness,
    hub,
    report,

    async newCluster() {
      cluster = `c${randomUUID().slice(0, 8)}`;
      await hub.clusters.create({ name: cluster, roles: ["execute"] });
      return cluster;
    },

    submit: (user, more = {}) => hub.submit({ cluster, approvals: {}, ...more }, user),

    async claim(at = hub) {
      const { commands } = await at
        .agent(cluster)
        .claim({ agentInstanceId: "i", most: 16, kinds: ["manifests", "flow"] });
      return commands.map(({ id, epoch, envelope }) => ({
        id,
        epoch,
        envelope: decodeJwt(envelope),
        typ: decodeProtectedHeader(envelope).typ,
      }));
    },

    hold: (id, epoch = 1n) =>
      report(id, epoch, "plan-approval-needed", { code: "PLAN_APPROVAL_NEEDED", message: "It brings code." }),

    tellPlan: (id, epoch = 1n) => report(id, epoch, "planned", { planDigest: digest, resultJson: Buffer.from("{}") }),

    async decide(id, what, user, at = hub) {
      const body = what === "approve" ? { digest } : {};
      return (await at.ask("POST", `/api/v1/commands/${id}/${what}`, body, user)) as Decided;
    },

    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

const digest = "d".repeat(64);
