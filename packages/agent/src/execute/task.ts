// What a kind of command is given for one run.
import type { CommandEnvelope } from "@fairlead/protocol";
import { policyDenied } from "../policy/index.ts";
import { createSecretResolver } from "../secrets/index.ts";
import type { HeldCommand } from "./held-command.ts";
import type { ExecuteMeans } from "./means.ts";
import { policeKube } from "./policed-kube.ts";
import { openPrograms } from "./programs.ts";
import type { RecordKeeper } from "./records/index.ts";
import type { TaskLog } from "./task-log.ts";
import type { Task } from "./types.ts";

export function createTask<Spec>(
  options: Pick<ExecuteMeans, "client" | "policy" | "clock" | "records" | "folder" | "environment"> & {
    readonly held: HeldCommand;
    readonly envelope: CommandEnvelope;
    readonly spec: Spec;
    readonly record: RecordKeeper;
    readonly log: TaskLog;
  },
): Task<Spec> {
  const { client, policy, clock, records, folder, environment, held, envelope, spec, record, log } = options;
  const { id, requester } = envelope;
  const { lease, signal, forced } = held;
  const kube = policeKube({
    ...{ client, policy, requester, ownNamespace: records.namespace },
    check: () => lease.check(),
  });
  const conceal = (value: string): void => log.secrets.add(value);
  return {
    ...{ id, spec, requester, kube, signal, forced, clock },
    approvedDigest: undefined,
    log: { line: log.line },
    state: {
      read: () => (record.life.is === "open" ? record.life.state : undefined),
      async write(state) {
        lease.check();
        await record.write({ is: "open", state }, lease.signal);
      },
    },
    mayAct({ repair = false } = {}) {
      lease.check();
      if (!repair) signal.throwIfAborted();
    },
    requireSource(_kind, place) {
      const verdict = policy.judgeChart(place);
      if (!verdict.allowed) throw policyDenied(verdict);
    },
    secrets: { ...createSecretResolver({ kube, conceal, signal }), conceal },
    openPrograms: () => openPrograms({ id, kube, folder, environment, conceal, log, held, clock }),
  };
}
