// What hub and agent note in an operation itself: its id, and on the hub that the cluster has it. Argo CD copies an operation
// with its `info` into `status.operationState`, and whoever writes an application's metadata anew leaves both alone.
import { hashOf } from "./content.ts";
import type { Application } from "./objects.ts";

type Operation = NonNullable<Application["operation"]>;

export function withOperationId(operation: Operation, id: string): Operation {
  return { ...withoutNotes(operation), info: [...otherInfo(operation), { name: idName, value: id }] };
}

/** Undefined: it wasn't handed over by a hub. */
export function readOperationId(operation: unknown): string | undefined {
  const id = listInfo(operation).find((info) => info?.name === idName)?.value;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** On the hub: the cluster has it, so nobody asks for it. */
export function withMirrorMark(operation: Operation): Operation {
  if (isMirrored(operation)) return operation;
  return { ...operation, info: [...listInfo(operation), { name: mirrorName, value: "true" }] };
}

export function withoutMirrorMark(operation: Operation): Operation {
  if (!isMirrored(operation)) return operation;
  return withInfo(
    operation,
    listInfo(operation).filter((info) => !isMirrorMark(info)),
  );
}

export function isMirrored(operation: unknown): boolean {
  return listInfo(operation).some(isMirrorMark);
}

/** The same for the same request, whether it has been given an id or not. */
export function hashOfOperation(operation: unknown): string {
  return hashOf(withoutNotes((operation ?? {}) as Operation)).toString(16);
}

function withoutNotes(operation: Operation): Operation {
  if (!listInfo(operation).some(isOurs)) return operation;
  return withInfo(operation, otherInfo(operation));
}

function withInfo({ info: _info, ...rest }: Operation, info: readonly Info[]): Operation {
  return info.length === 0 ? rest : { ...rest, info };
}

function otherInfo(operation: Operation): readonly Info[] {
  return listInfo(operation).filter((info) => !isOurs(info));
}

function listInfo(operation: unknown): readonly Info[] {
  const { info } = (operation ?? {}) as { readonly info?: unknown };
  return Array.isArray(info) ? info : [];
}

function isOurs(info: Info): boolean {
  return info?.name === idName || isMirrorMark(info);
}

function isMirrorMark(info: Info): boolean {
  return info?.name === mirrorName;
}

interface Info {
  readonly name?: unknown;
  readonly value?: unknown;
}

const idName = "fairlead.dev/operation-id";
const mirrorName = "fairlead.dev/mirrored";
