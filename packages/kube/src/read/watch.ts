import type { Clock } from "@fairlead/kernel";
import { type KubeClient, openStream, parseJson } from "../client/index.ts";
import { kubeErrors, toKubeError } from "../errors/index.ts";
import type { KubeObject } from "../objects/index.ts";
import { completeObject } from "../objects/index.ts";
import { type Selection, selectionPath } from "./list-page.ts";
import { LineSplitter } from "./split-lines.ts";

export type WatchEvent =
  | { readonly type: "added" | "modified" | "deleted"; readonly object: KubeObject }
  | { readonly type: "bookmark"; readonly resourceVersion: string; readonly isEndOfList: boolean };

export interface WatchOptions extends Selection {
  /**
   * The state to go on from. Without it the watch begins with all objects that are there, and a bookmark after them.
   */
  readonly resourceVersion?: string | undefined;
  readonly timeoutSeconds: number;
  readonly silentMs: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
}

/** Resolves when the API server agreed. Ends when the API server ends it, and throws what it says in an ERROR event. */
export async function openWatch(options: WatchOptions): Promise<AsyncGenerator<WatchEvent, void, void>> {
  const { client, resourceVersion, timeoutSeconds, silentMs, signal, clock } = options;
  const path = selectionPath(options, {
    watch: "true",
    allowWatchBookmarks: "true",
    timeoutSeconds: String(timeoutSeconds),
    ...(resourceVersion === undefined
      ? { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }
      : { resourceVersion }),
  });
  return readEvents(options, await openStream({ client, path, signal, silentMs, clock }));
}

async function* readEvents(
  options: WatchOptions,
  stream: AsyncGenerator<Buffer, void, void>,
): AsyncGenerator<WatchEvent, void, void> {
  const lines = new LineSplitter();
  for await (const chunk of stream) {
    for (const line of lines.push(chunk)) {
      const event = decode(options, line);
      if (event) yield event;
    }
  }
  if (lines.isMidLine)
    throw kubeErrors.KUBE_BAD_ANSWER({
      server: options.client.access.server.host,
      cause: "a watch that ends in mid-line",
    });
}

function decode({ client, resource }: WatchOptions, line: string): WatchEvent | undefined {
  const { type, object } = parse(client, line);
  switch (type) {
    case "ADDED":
      return { type: "added", object: completeObject(resource, object as unknown as KubeObject) };
    case "MODIFIED":
      return { type: "modified", object: completeObject(resource, object as unknown as KubeObject) };
    case "DELETED":
      return { type: "deleted", object: completeObject(resource, object as unknown as KubeObject) };
    case "BOOKMARK": {
      const { resourceVersion = "", annotations } = (object["metadata"] ?? {}) as Partial<KubeObject["metadata"]>;
      return { type: "bookmark", resourceVersion, isEndOfList: annotations?.[endOfList] === "true" };
    }
    case "ERROR":
      throw toKubeError({ httpStatus: Number(object["code"] ?? 500), body: object });
    default:
      // A later Kubernetes may send other types.
      return undefined;
  }
}

function parse(client: KubeClient, line: string): { type?: unknown; object: Record<string, unknown> } {
  const { host } = client.access.server;
  let event: unknown;
  try {
    event = parseJson(line, client);
  } catch (error) {
    throw kubeErrors.KUBE_BAD_ANSWER({ server: host, cause: error });
  }
  if (typeof event === "object" && event !== null && "object" in event && typeof event.object === "object") {
    if (event.object !== null) return event as { object: Record<string, unknown> };
  }
  throw kubeErrors.KUBE_BAD_ANSWER({ server: host, cause: "no event of a watch" });
}

const endOfList = "k8s.io/initial-events-end";
