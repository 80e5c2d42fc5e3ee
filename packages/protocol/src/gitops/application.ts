// Splits an application by the way that its parts go. An operation is taken over once and never part of the state.
import { carryMetadata, hydrateAnnotation, refreshAnnotation } from "./metadata.ts";
import type { Application, ApplicationStatus, CarriedMetadata } from "./objects.ts";
import { withoutMirrorMark } from "./operation-id.ts";

/** From where the truth is. Everything that a person edits, and that it is being deleted. */
export interface SpecPart {
  readonly metadata: CarriedMetadata;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** From the cluster, always: the status, and what is left there of what was asked. */
export interface StatusPart {
  readonly status: ApplicationStatus;
  /** As it is in the cluster; without it there is none, so that the hub's goes when the cluster's controller took it. */
  readonly operation?: Readonly<Record<string, unknown>>;
  /** The values of both refresh annotations, as far as they are there. */
  readonly refresh: RefreshRequest;
}

export interface RefreshRequest {
  readonly refresh?: string;
  readonly hydrate?: string;
}

/** The requests in an application on the hub, to be handed over as operations. */
export interface ApplicationRequests {
  readonly sync?: Readonly<Record<string, unknown>>;
  /** Which run is to end: `status.operationState.startedAt`. */
  readonly terminate?: { readonly startedAt: string };
  readonly refresh?: RefreshRequest;
}

export function toSpecPart({ metadata, spec }: Application): SpecPart {
  return { metadata: carryMetadata(metadata), spec };
}

export function toStatusPart({ metadata, status, operation }: Application): StatusPart {
  return {
    status: status ?? {},
    ...(operation !== undefined && { operation: withoutMirrorMark(operation) }),
    refresh: readRefresh(metadata.annotations),
  };
}

export function readRequests({ metadata, operation, status }: Application): ApplicationRequests {
  const state = status?.operationState;
  const refresh = readRefresh(metadata.annotations);
  const isTerminating = state?.phase === "Terminating" && state.startedAt !== undefined;
  return {
    // While a run is being ended, its operation is still there.
    ...(operation !== undefined && state?.phase !== "Terminating" && { sync: operation }),
    ...(isTerminating && { terminate: { startedAt: state.startedAt } }),
    ...(Object.keys(refresh).length > 0 && { refresh }),
  };
}

function readRefresh(annotations: Readonly<Record<string, string>> = {}): RefreshRequest {
  const { [refreshAnnotation]: refresh, [hydrateAnnotation]: hydrate } = annotations;
  return { ...(refresh !== undefined && { refresh }), ...(hydrate !== undefined && { hydrate }) };
}
