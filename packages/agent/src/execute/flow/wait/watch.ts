import { type ApiResource, runReflector } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { placeOf } from "./look.ts";
import type { WaitSpec } from "./types.ts";

export interface Hints {
  /** Nothing tells of changes: the watch fails or isn't allowed. */
  readonly isBlind: boolean;
}

/** Says when it is worth looking again. Never fails: who waits looks on a timer, too. */
export function watchForHints(options: {
  readonly task: Task<WaitSpec>;
  readonly resource: ApiResource;
  readonly onHint: () => void;
  readonly signal: AbortSignal;
}): Hints {
  const { task, resource, onHint, signal } = options;
  const { kube: client, clock, spec } = task;
  const { name, selector: labelSelector } = spec;
  let isBlind = true;
  const handler = {
    onListStart: () => undefined,
    onObject: () => undefined,
    onListed: onHint,
    onAlive: () => undefined,
    onApplied: onHint,
    onDeleted: onHint,
    onState({ type }: { readonly type: string }) {
      isBlind = type !== "live";
    },
  };
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  const namespace = placeOf(spec, resource);
  runReflector({ client, resource, namespace, labelSelector, fieldSelector, handler, clock, signal }).catch(() => {
    isBlind = true;
  });
  return {
    get isBlind() {
      return isBlind;
    },
  };
}
