// Takes Secrets out of the API server's answers that a run may not see, and learns which ones it has made.
import type { RequestAttributes } from "@fairlead/kube";
import { doorErrors } from "./errors.ts";
import type { OwnedSecret, SecretSight } from "./secret-sight.ts";

/** What programs get instead of an answer. */
export type Rewriting =
  | { readonly is: "whole"; readonly rewrite: (answer: unknown, status: number) => unknown }
  /** An event each; undefined for one that they don't get. */
  | { readonly is: "lines"; readonly rewrite: (event: unknown, status: number) => unknown };

export function filterSecrets(options: {
  readonly sight: SecretSight;
  readonly attributes: RequestAttributes;
  readonly isDryRun: boolean;
}): Rewriting {
  const { sight, attributes, isDryRun } = options;
  if (attributes.verb === "watch") return { is: "lines", rewrite: (event) => filterEvent(sight, event as WatchEvent) };
  const { namespace } = attributes;
  return {
    is: "whole",
    rewrite(answer, status) {
      const { kind } = answer as Shape;
      if (kind === "Status") return answer;
      if (kind === "SecretList") return filterList(sight, answer as SecretList);
      if (kind !== "Secret") throw unreadable(`it is a ${kind}`);
      const secret = answer as Secret;
      const name = secret.metadata?.name ?? "";
      if (attributes.verb === "get") {
        if (sight.sees(namespace, name) || sight.owns(secret)) return secret;
        const named = { secret: `${namespace}/${name}` };
        throw sight.isProposal ? doorErrors.DOOR_SECRET_MISSING(named) : doorErrors.DOOR_SECRET_HIDDEN(named);
      }
      // What a request makes has nothing in it but what was sent. A dry run makes nothing that could be seen later.
      if (status === 201 && !isDryRun) sight.made(namespace, name);
      return status === 201 || sight.sees(namespace, name) ? secret : bare(secret);
    },
  };
}

function filterList(sight: SecretSight, list: SecretList): SecretList {
  if (!Array.isArray(list.items)) throw unreadable("it has no items");
  const { remainingItemCount: _, ...metadata } = list.metadata ?? {};
  return { ...list, metadata, items: list.items.filter((secret) => isSeen(sight, secret)) };
}

function filterEvent(sight: SecretSight, event: WatchEvent): WatchEvent | undefined {
  if (event.type === "BOOKMARK" || event.type === "ERROR") return event;
  return event.object !== undefined && isSeen(sight, event.object) ? event : undefined;
}

function isSeen(sight: SecretSight, secret: Secret): boolean {
  const { namespace = "", name = "" } = secret.metadata ?? {};
  return sight.sees(namespace, name) || sight.owns(secret);
}

/** Which object it is and no more: a patch could have copied values into annotations. */
function bare({ apiVersion, kind, metadata = {} }: Secret): Secret {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp } };
}

function unreadable(detail: string): Error {
  return doorErrors.DOOR_ANSWER_UNREADABLE({ detail });
}

interface Shape {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}

interface Secret extends Shape {
  readonly metadata?: {
    readonly [name in "name" | "namespace" | "uid" | "resourceVersion" | "creationTimestamp"]?: string | undefined;
  } & OwnedSecret["metadata"];
}

interface SecretList extends Shape {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly items?: readonly Secret[];
}

interface WatchEvent {
  readonly type?: string;
  readonly object?: Secret;
}
