// The id of an operation, in the operation itself. Argo CD copies an operation with its `info` into
// `status.operationState`, and whoever writes an application's metadata anew leaves both alone.
import { hashOf } from "./content.ts";
import type { Application } from "./objects.ts";

type Operation = NonNullable<Application["operation"]>;

export function withOperationId(operation: Operation, id: string): Operation {
  return { ...withoutOperationId(operation), info: [...otherInfo(operation), { name: infoName, value: id }] };
}

/** Undefined: it wasn't handed over by a hub. */
export function readOperationId(operation: unknown): string | undefined {
  const id = listInfo(operation).find(isOurs)?.value;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** The same for the same request, whether it has been given an id or not. */
export function hashOfOperation(operation: unknown): string {
  return hashOf(withoutOperationId((operation ?? {}) as Operation)).toString(16);
}

function withoutOperationId(operation: Operation): Operation {
  if (!listInfo(operation).some(isOurs)) return operation;
  const { info: _info, ...rest } = operation;
  const others = otherInfo(operation);
  return others.length === 0 ? rest : { ...rest, info: others };
}

function otherInfo(operation: Operation): readonly Info[] {
  return listInfo(operation).filter((info) => !isOurs(info));
}

function listInfo(operation: unknown): readonly Info[] {
  const { info } = (operation ?? {}) as { readonly info?: unknown };
  return Array.isArray(info) ? info : [];
}

function isOurs(info: Info): boolean {
  return info?.name === infoName;
}

interface Info {
  readonly name?: unknown;
  readonly value?: unknown;
}

const infoName = "fairlead.dev/operation-id";
