// Makes the task that a kind of command gets for one run.
import type { Clock } from "@fairlead/kernel";
import type { CommandEnvelope } from "@fairlead/protocol";
import { policyDenied } from "../policy/index.ts";
import { redactJson } from "../redact/index.ts";
import type { ExecuteDependencies } from "./dependencies.ts";
import type { HeldCommand } from "./held-command.ts";
import { openSecrets } from "./open-secrets.ts";
import { createOtherCommands } from "./other-commands.ts";
import { policeKube } from "./policed-kube.ts";
import { openPrograms } from "./programs.ts";
import { hideFromPrograms, hideSecrets, isUnseen, noteFromPrograms } from "./proposals/index.ts";
import type { PlanDigests, RecordKeeper } from "./records/index.ts";
import type { TaskLog } from "./task-log.ts";
import type { Task } from "./types.ts";

export function createTask<Spec>(
  options: Pick<
    ExecuteDependencies,
    | "hub"
    | "instanceId"
    | "client"
    | "recovery"
    | "policy"
    | "clock"
    | "clockSkewMs"
    | "records"
    | "folder"
    | "fence"
    | "egress"
    | "environment"
    | "programMemoryBytes"
  > & {
    readonly held: HeldCommand;
    readonly envelope: CommandEnvelope;
    readonly spec: Spec;
    readonly record: RecordKeeper;
    /** The digests of the plan that people have approved. */
    readonly approved: PlanDigests | undefined;
    readonly log: TaskLog;
  },
): Task<Spec> {
  const { client, recovery, policy, records, folder, environment, held, envelope, spec, record, log } = options;
  const clock: Clock = { ...options.clock, now: () => options.clock.now() + options.clockSkewMs() };
  const { approved } = options;
  const { id, requester, serviceAccount } = envelope;
  const { lease, signal, forced } = held;
  const policed = policeKube({
    client,
    policy,
    requester,
    serviceAccount,
    ownNamespace: records.namespace,
    check: () => lease.check(),
  });
  const kube = recovery.patient(policed);
  const conceal = (value: string): void => log.secrets.add(value);
  const redact = (json: unknown): unknown => redactJson(log.secrets, json);
  const concealed = (): readonly string[] => [...log.secrets.values];
  const read = new Set<string>();
  const plansBlind = isUnseen(envelope);
  // What somebody has approved is carried out with the values of its Secrets.
  const isHidden = plansBlind && approved === undefined;
  return {
    id,
    epoch: Number(held.epoch),
    spec,
    requester,
    kube,
    signal,
    forced,
    clock,
    approvedDigest: approved?.own,
    isDryRun: envelope.dryRun,
    plansBlind,
    isProposal: envelope.proposal !== undefined,
    log: { line: log.line },
    state: {
      read: () => (record.life.is === "open" ? record.life.state : undefined),
      async write(state) {
        lease.check();
        await record.write({ is: "open", state, approved }, lease.signal);
      },
    },
    mayAct({ repair = false } = {}) {
      lease.check();
      if (!repair) signal.throwIfAborted();
    },
    mayUse(source) {
      const verdict = policy.judgeSource(source);
      if (!verdict.allowed) throw policyDenied(verdict);
    },
    tofuRules: () => policy.tofuRules(),
    chartHosts: () => policy.chartHosts(),
    secrets: isHidden
      ? hideSecrets({ conceal, concealed, redact, read })
      : openSecrets({ kube, conceal, concealed, redact, read, credentialRules: policy.credentialRules, signal }),
    openPrograms: async (wish, as = { signal, forced, log }) =>
      await openPrograms({
        id,
        kube: noteFromPrograms(kube, read),
        wish: isHidden ? hideFromPrograms(wish) : wish,
        ownNamespace: records.namespace,
        folder,
        fence: await options.fence(),
        mayPass: recovery.isRecent,
        judgeHost: policy.judgeHost,
        egress: options.egress,
        environment,
        memoryBytes: options.programMemoryBytes,
        conceal,
        log: as.log,
        untilRoom: log.untilRoom,
        held: { ...as, lease },
        clock,
      }),
    others: createOtherCommands(options),
    allowsKind: (kind) => policy.allowsKind(kind),
  };
}
