// Takes commands in. Each cluster has a bounded queue, and nobody may fill more than half of it. Those that come for a
// cluster while others are being taken in are taken in together next.
import { commandLimits } from "@fairlead/contract";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { type Added, addCommands } from "./add-commands.ts";
import { requireUsableJson } from "./check-spec-texts.ts";
import { createClusterRounds } from "./cluster-rounds.ts";
import { commandErrors } from "./errors.ts";
import { digestOfCommand } from "./idempotency.ts";
import type { CommandPart, NewCommand, QueueLimits } from "./new-command.ts";
import { type CommandRow, commandColumns } from "./rows.ts";
import { traceSubmission } from "./trace-command.ts";

export interface Submitted {
  readonly row: CommandRow;
  /** False for the command of an earlier request under the same key. */
  readonly isNew: boolean;
}

export interface Queue {
  /** Finds the command of an earlier request under the same key. Throws COMMAND_IDEMPOTENCY_MISMATCH. */
  findEarlier(command: NewCommand): Promise<Submitted | undefined>;
  /**
   * Throws COMMAND_SPEC_TOO_LARGE, COMMAND_SPEC_UNUSABLE, COMMAND_QUEUE_FULL, COMMAND_IDEMPOTENCY_MISMATCH. Undefined:
   * there is no such cluster, or the whole doesn't want this part any more.
   */
  submit(command: NewCommand): Promise<Submitted | undefined>;
}

export function createQueue(
  db: Kysely<Tables>,
  {
    limits = queueLimits,
    tracer,
  }: { readonly limits?: QueueLimits | undefined; readonly tracer?: Tracer | undefined } = {},
): Queue {
  const add = createClusterRounds<NewCommand, Added>({
    most: mostTogether,
    sizeOf: ({ spec }) => spec.length,
    mostSize: mostBytesTogether,
    run: (cluster, commands) => db.transaction().execute((trx) => addCommands(trx, { cluster, commands, limits })),
  });
  return {
    findEarlier: (command) => findEarlier(db, command),

    async submit(asked) {
      const sizeBytes = Buffer.byteLength(asked.spec);
      const limitBytes = commandLimits.specBytes;
      if (sizeBytes > limitBytes) throw commandErrors.COMMAND_SPEC_TOO_LARGE({ sizeBytes, limitBytes });
      requireUsableJson(asked.spec);
      const command = tracer ? { ...asked, traceParent: traceSubmission(tracer, asked) } : asked;
      const { part } = command;
      const added = part ? await addPart(command, part) : await add(command.cluster, command);
      switch (added.is) {
        case "new":
          return { row: added.row, isNew: true };
        case "there before":
          // Two requests at once: the other one was first.
          return await findEarlier(db, command);
        case "unwanted":
          return undefined;
        case "refused":
          throw added.error;
      }
    },
  };

  async function addPart(command: NewCommand, part: CommandPart): Promise<Added> {
    return await db.transaction().execute(async (trx) => {
      if (!(await part.admit(trx))) return { is: "unwanted" };
      const [added = { is: "unwanted" }] = await addCommands(trx, { ...command, commands: [command], limits });
      if (added.is === "new") await part.note(trx, added.row.id);
      return added;
    });
  }
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
  if (row.idempotency_digest !== digestOfCommand(command))
    throw commandErrors.COMMAND_IDEMPOTENCY_MISMATCH({ id: row.id });
  return { row, isNew: false };
}

const queueLimits: QueueLimits = { commands: 1_000, bytes: 64 * 1024 * 1024 };
const mostTogether = 64;
const mostBytesTogether = 4 * 1024 * 1024;
