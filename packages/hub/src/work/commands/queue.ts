// Takes commands in. Each cluster has a bounded queue, and nobody may fill more than half of it.
import { createHash } from "node:crypto";
import { commandLimits } from "@fairlead/contract";
import { createId } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { addStep, endIfIdle } from "../runs/index.ts";
import { heldStates } from "./claims.ts";
import { commandErrors } from "./errors.ts";
import { type CommandRow, type CommandWhole, commandColumns } from "./rows.ts";

export interface NewCommand {
  readonly cluster: string;
  readonly kind: string;
  readonly target: string;
  readonly namespace: string;
  /** JSON. */
  readonly spec: string;
  readonly dryRun: boolean;
  /** `NAMESPACE/NAME`; undefined: with the agent's own rights. */
  readonly serviceAccount?: string | undefined;
  readonly requester: { readonly name: string; readonly uid: string };
  readonly deadlineSeconds: number;
  readonly priority: number;
  readonly idempotencyKey?: string | undefined;
  readonly retryOf?: string | undefined;
  /** Absent: nobody is asked. */
  readonly approvals?: WantedApprovals;
  readonly part?: CommandPart | undefined;
}

export interface WantedApprovals {
  readonly required: number;
  readonly fourEyes: boolean;
  readonly seconds: number;
}

/** A command that is made as a part of something larger, in one transaction with what that writes down of it. */
export interface CommandPart {
  readonly whole: CommandWhole;
  /** Before it is made. False: it isn't to be made any more. */
  admit(trx: Transaction<Tables>): Promise<boolean>;
  note(trx: Transaction<Tables>, id: string): Promise<void>;
}

export interface QueueLimits {
  readonly commands: number;
  readonly bytes: number;
}

export interface Submitted {
  readonly row: CommandRow;
  /** False for the command of an earlier request under the same key. */
  readonly isNew: boolean;
}

export interface Queue {
  /** That of an earlier request under the same key. Throws COMMAND_IDEMPOTENCY_MISMATCH. */
  findEarlier(command: NewCommand): Promise<Submitted | undefined>;
  /**
   * Throws COMMAND_SPEC_TOO_LARGE, COMMAND_QUEUE_FULL, COMMAND_IDEMPOTENCY_MISMATCH. Undefined: there is no such cluster,
   * or the whole doesn't want this part any more.
   */
  submit(command: NewCommand): Promise<Submitted | undefined>;
}

export function createQueue(db: Kysely<Tables>, limits: QueueLimits = queueLimits): Queue {
  return {
    findEarlier: (command) => findEarlier(db, command),

    async submit(command) {
      const sizeBytes = Buffer.byteLength(command.spec);
      const limitBytes = commandLimits.specBytes;
      if (sizeBytes > limitBytes) throw commandErrors.COMMAND_SPEC_TOO_LARGE({ sizeBytes, limitBytes });
      const row = await db.transaction().execute((trx) => add(trx, command, { sizeBytes, limits }));
      if (row === "no cluster") return undefined;
      // Two requests at once: the other one was first.
      return row ? { row, isNew: true } : await findEarlier(db, command);
    },
  };
}

async function add(
  trx: Transaction<Tables>,
  command: NewCommand,
  { sizeBytes, limits }: { readonly sizeBytes: number; readonly limits: QueueLimits },
): Promise<CommandRow | "no cluster" | undefined> {
  const { cluster, requester, spec, deadlineSeconds, approvals, part } = command;
  if (part && !(await part.admit(trx))) return "no cluster";
  const known = await trx
    .selectFrom("cluster")
    .select(["incarnation", "kube_system_uid"])
    .where("name", "=", cluster)
    .executeTakeFirst();
  if (!known) return "no cluster";
  await holdQueue(trx, cluster);
  await requireRoom(trx, command, { sizeBytes, limits });
  const row = await trx
    .insertInto("command")
    .values({
      ...{ id: createId("cmd"), cluster, incarnation: known.incarnation, kind: command.kind, target: command.target },
      ...{
        cluster_uid: known.kube_system_uid,
        namespace: command.namespace,
        dry_run: command.dryRun,
        spec,
        spec_bytes: sizeBytes,
      },
      ...{ requester: requester.name, requester_uid: requester.uid, priority: command.priority },
      state: approvals ? "gated/queued" : "queued",
      ...(approvals && {
        approvals_required: approvals.required,
        four_eyes: approvals.fourEyes,
        approval_seconds: approvals.seconds,
      }),
      idempotency_key: command.idempotencyKey ?? null,
      idempotency_digest: command.idempotencyKey === undefined ? null : digestOf(command),
      service_account: command.serviceAccount ?? null,
      retry_of: command.retryOf ?? null,
      ...{ rollout: idOf(part, "rollout"), stack_run: idOf(part, "stack run") },
      deadline_at: sql<Date>`clock_timestamp() + ${deadlineSeconds}::float8 * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(commandColumns)
    .executeTakeFirst();
  if (row) await addStep(trx, { command: row.id, actor: requester.name, to: "queued" });
  if (row) await part?.note(trx, row.id);
  return row;
}

function idOf(part: CommandPart | undefined, is: CommandWhole["is"]): string | null {
  return part?.whole.is === is ? part.whole.id : null;
}

/** Until the end of the transaction nobody else adds to the cluster's queue, or claims from it. */
async function holdQueue(trx: Transaction<Tables>, cluster: string): Promise<void> {
  await trx
    .insertInto("command_queue")
    .values({ cluster })
    .onConflict((conflict) => conflict.column("cluster").doNothing())
    .execute();
  await trx
    .selectFrom("command_queue")
    .select(endIfIdle.as("idle"))
    .where("cluster", "=", cluster)
    .forUpdate()
    .execute();
}

async function requireRoom(
  trx: Transaction<Tables>,
  { cluster, requester }: NewCommand,
  { sizeBytes, limits }: { readonly sizeBytes: number; readonly limits: QueueLimits },
): Promise<void> {
  const { rows } = await sql<{ commands: number; bytes: number; own: number; own_bytes: number }>`
    select count(*) as commands, coalesce(sum(spec_bytes + plan_bytes), 0)::bigint as bytes,
      count(*) filter (where requester_uid = ${requester.uid}) as own,
      coalesce(sum(spec_bytes + plan_bytes) filter (where requester_uid = ${requester.uid}), 0)::bigint as own_bytes
    from command where cluster = ${cluster} and finished_at is null and state not in ${heldStates}
  `.execute(trx);
  const { commands = 0, bytes = 0, own = 0, own_bytes: ownBytes = 0 } = rows[0] ?? {};
  const refuse = (who: string, limit: string): never => {
    throw commandErrors.COMMAND_QUEUE_FULL({ cluster, who, limit });
  };
  if (commands >= limits.commands) refuse("all together", `${limits.commands} commands`);
  if (bytes + sizeBytes > limits.bytes) refuse("all together", `${limits.bytes} bytes`);
  if (own >= limits.commands / 2) refuse(requester.name, `${limits.commands / 2} commands`);
  if (ownBytes + sizeBytes > limits.bytes / 2) refuse(requester.name, `${limits.bytes / 2} bytes`);
}

async function findEarlier(db: Kysely<Tables>, command: NewCommand): Promise<Submitted | undefined> {
  const { idempotencyKey: key, requester } = command;
  if (key === undefined) return undefined;
  const row = await db
    .selectFrom("command")
    .select(commandColumns)
    .where("requester_uid", "=", requester.uid)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.idempotency_digest !== digestOf(command)) throw commandErrors.COMMAND_IDEMPOTENCY_MISMATCH({ id: row.id });
  return { row, isNew: false };
}

/** Of all that was asked for. */
function digestOf({ requester: _, idempotencyKey: _key, part: _part, ...asked }: NewCommand): string {
  return createHash("sha256")
    .update(JSON.stringify(Object.entries(asked).toSorted()))
    .digest("hex");
}

const queueLimits: QueueLimits = { commands: 1_000, bytes: 64 * 1024 * 1024 };
