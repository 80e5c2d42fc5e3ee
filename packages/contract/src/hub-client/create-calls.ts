// The calls of a table's operations. Each is made of what a generated file says; the table with its schemas is loaded when
// the first answer is there.
import { type CallArguments, type Calls, createCall, toCall } from "../calls.ts";
import { operationTables } from "../gen/operation-tables.ts";
import { webOperations } from "../gen/web-operations.ts";
import type { Operation, OperationRow } from "../operation.ts";
import type { OperationTables } from "../operations.ts";
import type { AnswerSchema, Call, Send } from "../send.ts";
import { loadTable } from "./load-table.ts";

export function createCalls<Name extends keyof OperationTables>(send: Send, name: Name): Calls<OperationTables[Name]> {
  const calls = operationTables[name].map((id) => {
    const [method, path, takes, answered] = webOperations[id];
    const answer = answered === "json" ? answerSchemaOf(name, id) : undefined;
    return [id, createCall(send, { method, path, takes, answer })];
  });
  return Object.fromEntries(calls) as Calls<OperationTables[Name]>;
}

/** The call of an operation whose answer isn't read at once. */
export function callOf<Row extends OperationRow>(
  id: keyof typeof webOperations,
  ...args: CallArguments<Row>
): Call<never> {
  const [method, path, takes] = webOperations[id];
  const { answer: _, ...call } = toCall({ method, path, takes }, args);
  return call;
}

function answerSchemaOf(name: keyof OperationTables, id: string): AnswerSchema<unknown> {
  return {
    safeParse: async (value) => {
      const table: Readonly<Record<string, Operation>> = await loadTable(name);
      const body = table[id]?.success.body;
      return body ? body.safeParse(value) : { success: false };
    },
  };
}
