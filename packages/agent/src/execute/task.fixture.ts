// A task as the agent gives it to a kind, with its record in memory.
import { tmpdir } from "node:os";
import { systemClock } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import type { CommandSource } from "../policy/index.ts";
import { KnownSecrets, redactJson } from "../redact/index.ts";
import { createSecretResolver } from "../secrets/index.ts";
import { executeErrors } from "./errors.ts";
import { openPrograms } from "./programs.ts";
import type { Task } from "./types.ts";

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
  readonly allowsKind?: (kind: string) => boolean;
  /** Throws where the policy forbids it. */
  readonly mayUse?: ((source: CommandSource) => void) | undefined;
  /** For programs. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder of all commands; the one for temporary files unless given. */
  readonly folder?: string | undefined;
  /** Before each effect; may call `lose`. */
  readonly beforeEffect?: ((task: TestTask<Spec>) => void) | undefined;
}

export function createTestTask<Spec>(options: TestTaskOptions<Spec>): TestTask<Spec> {
  const { kube, spec, id = "cmd_test", epoch = 1, secrets, approvedDigest, beforeEffect } = options;
  const { environment = process.env, folder = tmpdir() } = options;
  const { allowsKind = () => true, mayUse = () => undefined } = options;
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
  const log = { line: (text: string) => void lines.push(text) };
  const { signal } = graceful;
  const lease = { signal: lost.signal, check: () => lost.signal.throwIfAborted() };
  const task: TestTask<Spec> = {
    ...{
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
      mayUse,
      clock: systemClock,
    },
    state: {
      read: () => (record.json === undefined ? undefined : JSON.parse(record.json)),
      async write(state) {
        lease.check();
        record.json = JSON.stringify(state);
      },
    },
    secrets: {
      resolve: secrets
        ? async (text) => text.replace(/\$\{secret:([^}]+)\}/g, (_, name: string) => secrets[name] ?? "?")
        : createSecretResolver({ kube, conceal, signal }).resolve,
      conceal,
      redact: (json) => redactJson(known, json),
    },
    openPrograms: (as = { signal, forced: forced.signal, log }) =>
      openPrograms({
        ...{ id, kube, folder, environment, conceal, log: as.log, untilRoom: () => undefined, clock: systemClock },
        held: { ...as, lease },
      }),
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
}
