// Adds commands to a cluster's queue, as long as there is room for each.
import { commandLimits } from "@fairlead/contract";
import { createId, type FairleadError } from "@fairlead/kernel";
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { endIfIdle } from "../runs/index.ts";
import { heldStates } from "./claims.ts";
import { commandErrors } from "./errors.ts";
import { digestOfCommand } from "./idempotency.ts";
import type { CommandPart, NewCommand, QueueLimits } from "./new-command.ts";
import { type CommandRow, type CommandWhole, commandColumns } from "./rows.ts";

export type Added =
  | { readonly is: "new"; readonly row: CommandRow }
  /** Under the same idempotency key. */
  | { readonly is: "there before" }
  /** There is no such cluster, or nobody wants the command any more. */
  | { readonly is: "unwanted" }
  | { readonly is: "refused"; readonly error: FairleadError };

/** In this order; an answer for each. */
export async function addCommands(
  trx: Transaction<Tables>,
  {
    cluster,
    commands,
    limits,
  }: { readonly cluster: string; readonly commands: readonly NewCommand[]; readonly limits: QueueLimits },
): Promise<readonly Added[]> {
  const known = await holdQueue(trx, cluster);
  if (!known) return commands.map(() => ({ is: "unwanted" }));
  const room = await countRoom(trx, { cluster, commands, limits });
  const asked = commands.map((command) => ({ command, id: createId("cmd"), error: room.take(command) }));
  const admitted = asked.filter(({ error }) => error === undefined);
  const rows = await insert(trx, known, admitted);
  return asked.map(({ id, error }) => {
    const row = rows.get(id);
    if (error) return { is: "refused", error };
    return row ? { is: "new", row } : { is: "there before" };
  });
}

interface KnownCluster {
  readonly name: string;
  readonly incarnation: string;
  readonly kube_system_uid: string | null;
}

/** Until the end of the transaction nobody else adds to the cluster's queue, or claims from it. */
async function holdQueue(trx: Transaction<Tables>, cluster: string): Promise<KnownCluster | undefined> {
  const hold = trx
    .selectFrom("cluster")
    .innerJoin("command_queue", "command_queue.cluster", "cluster.name")
    .select(["name", "incarnation", "kube_system_uid"])
    .select(endIfIdle.as("idle"))
    .where("name", "=", cluster)
    .forUpdate("command_queue");
  const held = await hold.executeTakeFirst();
  if (held) return held;
  await trx
    .insertInto("command_queue")
    .columns(["cluster"])
    .expression((build) => build.selectFrom("cluster").select("name").where("name", "=", cluster))
    .onConflict((conflict) => conflict.column("cluster").doNothing())
    .execute();
  return await hold.executeTakeFirst();
}

interface Room {
  /** Undefined: it has its place now. */
  take(command: NewCommand): FairleadError | undefined;
}

async function countRoom(
  trx: Transaction<Tables>,
  {
    cluster,
    commands,
    limits,
  }: { readonly cluster: string; readonly commands: readonly NewCommand[]; readonly limits: QueueLimits },
): Promise<Room> {
  const uids = [...new Set(commands.map(({ requester }) => requester.uid))];
  const { rows } = await sql<{ uid: string | null; commands: number; bytes: number }>`
    select case when requester_uid = any (${uids}::text[]) then requester_uid end as uid, count(*) as commands,
      coalesce(sum(spec_bytes + plan_bytes), 0)::bigint as bytes
    from command where cluster = ${cluster} and finished_at is null and state not in ${heldStates} group by uid
  `.execute(trx);
  const owned = new Map(rows.map((row) => [row.uid, { commands: row.commands, bytes: row.bytes }]));
  const all = { commands: sum(rows.map((row) => row.commands)), bytes: sum(rows.map((row) => row.bytes)) };
  return {
    take({ requester: { uid, name }, spec }) {
      const own = owned.get(uid) ?? { commands: 0, bytes: 0 };
      const sizeBytes = Buffer.byteLength(spec);
      const refuse = (who: string, limit: string) => commandErrors.COMMAND_QUEUE_FULL({ cluster, who, limit });
      if (all.commands >= limits.commands) return refuse("all users together", `${limits.commands} commands`);
      if (all.bytes + sizeBytes > limits.bytes) return refuse("all users together", `${limits.bytes} bytes`);
      if (own.commands >= limits.commands / 2) return refuse(name, `${limits.commands / 2} commands`);
      if (own.bytes + sizeBytes > limits.bytes / 2) return refuse(name, `${limits.bytes / 2} bytes`);
      owned.set(uid, own);
      for (const count of [all, own]) {
        count.commands += 1;
        count.bytes += sizeBytes;
      }
      return undefined;
    },
  };
}

interface Admitted {
  readonly id: string;
  readonly command: NewCommand;
}

/** The rows by id; none for what is there under the same key. */
async function insert(
  trx: Transaction<Tables>,
  cluster: KnownCluster,
  admitted: readonly Admitted[],
): Promise<ReadonlyMap<string, CommandRow>> {
  if (admitted.length === 0) return new Map();
  const columns = arraysOf(admitted);
  const { rows } = await sql<CommandRow>`
    with made as (
      insert into command (cluster, incarnation, cluster_uid, ${sql.join(columns.map(({ name }) => sql.ref(name)))}, deadline_at)
      select ${cluster.name}, ${cluster.incarnation}::uuid, ${cluster.kube_system_uid},
        ${sql.join(columns.map(({ name }) => sql.ref(`one.${name}`)))},
        clock_timestamp() + deadline_seconds * interval '1 second'
      from unnest(
        ${sql.join(columns.map(({ values }) => values))},
        ${admitted.map(({ command }) => command.deadlineSeconds)}::float8[]
      ) with ordinality as one (${sql.join(columns.map(({ name }) => sql.ref(name)))}, deadline_seconds, place)
      order by place
      on conflict do nothing
      returning ${sql.join(commandColumns.map((column) => sql.ref(column)))}
    ), told as (
      insert into command_step (command, actor, to_state, reason)
      select id, requester, 'queued', 'by template ' || template || ' at revision ' || template_revision from made
    )
    select * from made
  `.execute(trx);
  return new Map(rows.map((row) => [row.id, row]));
}

interface Column {
  readonly name: string;
  readonly values: RawBuilder<unknown>;
}

function arraysOf(admitted: readonly Admitted[]): readonly Column[] {
  const column = (
    name: string,
    type: string,
    read: (command: NewCommand, id: string) => string | number | boolean | null | undefined,
  ): Column => {
    const values = admitted.map(({ command, id }) => read(command, id) ?? null);
    return { name, values: sql`${values}::${sql.raw(type)}[]` };
  };
  return [
    column("id", "text", (_, id) => id),
    column("kind", "text", ({ kind }) => kind),
    column("target", "text", ({ target }) => target),
    column("namespace", "text", ({ namespace }) => namespace),
    column("dry_run", "boolean", ({ dryRun }) => dryRun),
    column("spec", "text", ({ spec }) => spec),
    column("spec_bytes", "integer", ({ spec }) => Buffer.byteLength(spec)),
    column("requester", "text", ({ requester }) => requester.name),
    column("requester_uid", "text", ({ requester }) => requester.uid),
    column("priority", "smallint", ({ priority }) => priority),
    column("state", "text", ({ approvals, proposal }) => {
      if (proposal) return "proposed/queued";
      return approvals ? "gated/queued" : "queued";
    }),
    column("is_proposal", "boolean", ({ proposal }) => proposal !== undefined),
    column("is_vouched", "boolean", ({ proposal }) => proposal?.isVouched ?? false),
    column("asker", "text", ({ requester }) => requester.asker),
    column("approvals_required", "smallint", ({ approvals }) => approvals?.required),
    column("four_eyes", "boolean", ({ approvals }) => approvals?.fourEyes ?? false),
    // Also a proposal that is a dry run may wait for people.
    column("approval_seconds", "integer", ({ approvals, proposal }) =>
      proposal && !approvals ? commandLimits.defaultApprovalSeconds : approvals?.seconds,
    ),
    column("idempotency_key", "text", ({ idempotencyKey }) => idempotencyKey),
    column("idempotency_digest", "text", (command) =>
      command.idempotencyKey === undefined ? null : digestOfCommand(command),
    ),
    column("service_account", "text", ({ serviceAccount }) => serviceAccount),
    column("retry_of", "text", ({ retryOf }) => retryOf),
    column("trace_parent", "text", ({ traceParent }) => traceParent),
    column("template", "text", ({ template }) => template?.name),
    column("template_revision", "integer", ({ template }) => template?.revision),
    column("parameters", "text", ({ template }) => template && JSON.stringify(template.parameters)),
    column("rollout", "text", ({ part }) => idOf(part, "rollout")),
    column("stack_run", "text", ({ part }) => idOf(part, "stack run")),
  ];
}

function idOf(part: CommandPart | undefined, is: CommandWhole["is"]): string | null {
  return part?.whole.is === is ? part.whole.id : null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
