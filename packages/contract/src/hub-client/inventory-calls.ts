import type { Calls } from "../calls.ts";
import type { ObjectDetail } from "../inventory/index.ts";
import type { OperationTables } from "../operations.ts";
import type { CallOptions, Send } from "../send.ts";
import { createCalls } from "./create-calls.ts";

export interface InventoryCalls
  extends Omit<Calls<OperationTables["inventoryOperations"]>, "getObject" | "getNamedObject"> {
  getObject(ref: { cluster: string; uid: string }, options?: CallOptions): Promise<ObjectDetail>;
  /** Without a namespace for what has none. */
  getNamedObject(
    ref: { cluster: string; kind: string; namespace?: string | undefined; name: string },
    options?: CallOptions,
  ): Promise<ObjectDetail>;
}

export function createInventoryCalls(send: Send): InventoryCalls {
  const calls = createCalls(send, "inventoryOperations");
  return {
    ...calls,
    getObject: ({ cluster, uid }, call) => calls.getObject(cluster, uid, call),
    getNamedObject: ({ cluster, kind, namespace = "-", name }, call) =>
      calls.getNamedObject(cluster, kind, namespace, name, call),
  };
}
