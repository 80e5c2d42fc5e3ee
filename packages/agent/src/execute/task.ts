// Makes the task that a kind of command gets for one run.
import type { CommandEnvelope } from "@fairlead/protocol";
import { policyDenied } from "../policy/index.ts";
import { redactJson } from "../redact/index.ts";
import { createSecretResolver } from "../secrets/index.ts";
import type { HeldCommand } from "./held-command.ts";
import type { ExecuteMeans } from "./means.ts";
import { policeKube } from "./policed-kube.ts";
import { openPrograms } from "./programs.ts";
import type { PlanDigests, RecordKeeper } from "./records/index.ts";
import type { TaskLog } from "./task-log.ts";
import type { Task } from "./types.ts";

export function createTask<Spec>(
  options: Pick<
    ExecuteMeans,
    "client" | "policy" | "clock" | "records" | "folder" | "environment" | "programMemoryBytes"
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
  const { client, policy, clock, records, folder, environment, held, envelope, spec, record, log } = options;
  const { approved } = options;
  const { id, requester, serviceAccount } = envelope;
  const { lease, signal, forced } = held;
  const kube = policeKube({
    ...{ client, policy, requester, serviceAccount, ownNamespace: records.namespace },
    check: () => lease.check(),
  });
  const conceal = (value: string): void => log.secrets.add(value);
  return {
    ...{ id, epoch: Number(held.epoch), spec, requester, kube, signal, forced, clock },
    approvedDigest: approved?.own,
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
    secrets: {
      ...createSecretResolver({ kube, conceal, signal }),
      conceal,
      redact: (json) => redactJson(log.secrets, json),
    },
    openPrograms: (as = { signal, forced, log }) =>
      openPrograms({
        id,
        kube,
        folder,
        environment,
        memoryBytes: options.programMemoryBytes,
        conceal,
        log: as.log,
        untilRoom: log.untilRoom,
        held: { ...as, lease },
        clock,
      }),
    allowsKind: (kind) => policy.allowsKind(kind),
  };
}
