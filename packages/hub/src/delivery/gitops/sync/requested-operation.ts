// An operation on the hub's object came from a person or from the cluster: both are `.operation`. Annotations of ours tell
// which, and keep the id of a person's request from before it is handed over until it is settled.
import { type Application, hashOf } from "@fairlead/protocol";

type Operation = NonNullable<Application["operation"]>;
type Annotations = Readonly<Record<string, string>>;

export interface RequestedSync {
  readonly operation: Operation;
  /** Undefined: it wasn't given one. */
  readonly id: string | undefined;
}

/** Undefined when nothing is asked for: there is no operation, or it is the cluster's, or it was handed over. */
export function readRequestedSync({ operation, metadata }: Application): RequestedSync | undefined {
  if (operation === undefined || metadata.annotations?.[mirroredAnnotation] === toMark(operation)) return undefined;
  const [id, mark] = metadata.annotations?.[requestedAnnotation]?.split(" ") ?? [];
  return { operation, id: mark === toMark(operation) ? id : undefined };
}

export function withRequestId(annotations: Annotations | undefined, id: string, operation: Operation): Annotations {
  return { ...annotations, [requestedAnnotation]: `${id} ${toMark(operation)}` };
}

/** For an application whose operation is the cluster's, or was handed over to it, or that has none. */
export function withMirrored(annotations: Annotations | undefined, operation: Operation | undefined): Annotations {
  const { [mirroredAnnotation]: _mirrored, [requestedAnnotation]: _requested, ...rest } = annotations ?? {};
  return operation === undefined ? rest : { ...rest, [mirroredAnnotation]: toMark(operation) };
}

function toMark(operation: Operation): string {
  return hashOf(operation).toString(16);
}

const mirroredAnnotation = "fairlead.dev/mirrored-operation";
const requestedAnnotation = "fairlead.dev/requested-operation";
