// A task as the agent gives it to a kind, with its record in memory.
import { tmpdir } from "node:os";
import { systemClock } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import { chartHosts } from "../policy/chart-hosts.ts";
import type { CommandSource, CredentialRule } from "../policy/index.ts";
import { judgeHost } from "../policy/judge-host.ts";
import { openPolicyRules, type Policy } from "../policy/schema.ts";
import { tofuRules } from "../policy/tofu-rules.ts";
import type { Fence } from "../processes/index.ts";
import { KnownSecrets, redactJson } from "../redact/index.ts";
import type { Egress } from "./egress/index.ts";
import { executeErrors } from "./errors.ts";
import { openSecrets } from "./open-secrets.ts";
import { openPrograms } from "./programs.ts";
import { hideFromPrograms, hideSecrets, noteFromPrograms } from "./proposals/index.ts";
import type { SecretValues, Task } from "./types.ts";

export interface TestTask<Spec = unknown> extends Task<Spec> {
  readonly lines: string[];
  /** Values that are masked. */
  readonly concealed: string[];
  /** The record's content, as JSON. */
  readonly record: { json: string | undefined };
  /** From now on the lease is lost: nothing may be done any more. */
  lose(): void;
  cancel(how?: "graceful" | "forced"): void;
}

export interface TestTaskOptions<Spec = unknown> {
  readonly kube: KubeClient;
  readonly spec: Spec;
  readonly id?: string;
  readonly epoch?: number;
  /** The record of the run that died. */
  readonly record?: string | undefined;
  /** By reference; those of the cluster unless given. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  readonly approvedDigest?: string | undefined;
  readonly isDryRun?: boolean | undefined;
  /** As the policy of the cluster has them. */
  readonly credentialRules?: readonly CredentialRule[] | undefined;
  /** It is a proposal that nobody who may create it has seen. */
  readonly plansBlind?: boolean | undefined;
  /** Ids of other commands that have ended. */
  readonly ended?: readonly string[] | undefined;
  readonly allowsKind?: (kind: string) => boolean;
  /** Throws where the policy forbids it. */
  readonly ownNamespace?: string | undefined;
  readonly policy?: Policy | undefined;
  readonly mayUse?: ((source: CommandSource) => void) | undefined;
  /** Programs run without one unless given. */
  readonly fence?: Fence | undefined;
  /** The way out of the fence; none unless given. */
  readonly egress?: Egress | undefined;
  /** For programs. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder of all commands; the one for temporary files unless given. */
  readonly folder?: string | undefined;
  /** Before each effect; may call `lose`. */
  readonly beforeEffect?: ((task: TestTask<Spec>) => void) | undefined;
}

export function createTestTask<Spec>(options: TestTaskOptions<Spec>): TestTask<Spec> {
  const { kube, spec, id = "cmd_test", epoch = 1, secrets, approvedDigest, beforeEffect } = options;
  const { plansBlind = false, isDryRun = false } = options;
  const { environment = process.env, folder = tmpdir() } = options;
  const { allowsKind = () => true, mayUse = () => undefined, policy = loopbackPolicy } = options;
  const graceful = new AbortController();
  const forced = new AbortController();
  const lost = new AbortController();
  const record: TestTask["record"] = { json: options.record };
  const lines: string[] = [];
  const concealed: string[] = [];
  const known = new KnownSecrets();
  const conceal = (value: string): void => {
    concealed.push(value);
    known.add(value);
  };
  const redact = (json: unknown): unknown => redactJson(known, json);
  const read = new Set<string>();
  const isHidden = plansBlind && approvedDigest === undefined;
  const log = { line: (text: string) => void lines.push(text) };
  const { signal } = graceful;
  const lease = { signal: lost.signal, check: () => lost.signal.throwIfAborted() };
  const task: TestTask<Spec> = {
    id,
    epoch,
    requester: "test",
    kube,
    spec,
    record,
    lines,
    concealed,
    log,
    approvedDigest,
    plansBlind,
    isDryRun,
    mayUse,
    tofuRules: () => tofuRules(policy),
    chartHosts: () => chartHosts(policy),
    clock: systemClock,
    state: {
      read: () => (record.json === undefined ? undefined : JSON.parse(record.json)),
      async write(state) {
        lease.check();
        record.json = JSON.stringify(state);
      },
    },
    secrets: openTestSecrets(),
    openPrograms: (wish, as = { signal, forced: forced.signal, log }) =>
      openPrograms({
        id,
        kube: noteFromPrograms(kube, read),
        wish: isHidden ? hideFromPrograms(wish) : wish,
        ownNamespace: options.ownNamespace,
        folder,
        fence: options.fence,
        egress: options.egress,
        judgeHost: (target) => judgeHost(policy, target),
        environment,
        conceal,
        log: as.log,
        untilRoom: () => undefined,
        clock: systemClock,
        held: { ...as, lease },
      }),
    others: { place: "here", hasEnded: async ({ id: other }) => options.ended?.includes(other) === true },
    allowsKind,
    signal,
    forced: forced.signal,
    mayAct(how = {}) {
      beforeEffect?.(task);
      lease.check();
      if (!how.repair) signal.throwIfAborted();
    },
    lose() {
      const reason = executeErrors.COMMAND_LEASE_LOST();
      for (const controller of [lost, graceful, forced]) controller.abort(reason);
    },
    cancel(how = "graceful") {
      graceful.abort(executeErrors.COMMAND_CANCELLED());
      if (how === "forced") forced.abort(executeErrors.COMMAND_CANCELLED());
    },
  };
  return task;

  function openTestSecrets(): SecretValues {
    const how = { conceal, concealed: () => concealed, redact, read };
    if (isHidden) return hideSecrets(how);
    const opened = openSecrets({ ...how, kube, credentialRules: () => options.credentialRules ?? [], signal });
    if (secrets === undefined) return opened;
    const resolve = async (text: string): Promise<string> =>
      text.replace(/\$\{secret:([^}]+)\}/g, (_, name: string) => secrets[name] ?? "?");
    const given: SecretValues = { ...opened, resolve, forHost: () => given, heeding: () => given };
    return given;
  }
}

/** Servers of tests are on loopback. */
export const loopbackPolicy: Policy = {
  ...openPolicyRules,
  execute: {
    network: { hosts: { allow: ["*", "127.0.0.1:*", "localhost:*"] } },
    tofu: { programs: true, environment: { allow: ["*"] } },
  },
};
