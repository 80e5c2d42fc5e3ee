import type { Clock } from "@fairlead/kernel";
import type { KubeClient } from "../client/index.ts";
import { openStream, parseJson } from "../client/index.ts";
import { kubeErrors } from "../errors/index.ts";
import type { KubeObject } from "../objects/index.ts";
import { type ApiResource, completeObject, resourcePath } from "../objects/index.ts";
import { ListSplitter } from "./split-list.ts";

/** Selects objects of one kind. */
export interface Selection {
  readonly client: KubeClient;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource" | "kind">;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selection {
  /** 0: all in one answer. */
  readonly pageSize?: number | undefined;
  readonly continueToken?: string | undefined;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  /** Called when the API server agreed to answer, before the first object. */
  readonly onOpen?: (() => void) | undefined;
}

export interface ListPage {
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
}

/** Objects are given away while the page arrives. Without `resourceVersion`: the API server's newest state. */
export async function readPage(
  options: ListOptions,
  onObject: (object: KubeObject) => void | Promise<void>,
): Promise<ListPage> {
  const { client, resource, clock, signal, pageSize = 0, continueToken } = options;
  const path = selectionPath(options, {
    ...(pageSize > 0 && { limit: String(pageSize) }),
    ...(continueToken !== undefined && { continue: continueToken }),
  });
  const stream = await openStream({ client, path, signal, clock, silentMs: silentListMs });
  options.onOpen?.();
  const splitter = new ListSplitter();
  for await (const chunk of stream) {
    for (const text of splitter.push(chunk)) {
      const taken = onObject(completeObject(resource, parse(client, text) as KubeObject));
      if (taken) await taken;
    }
  }
  const { metadata } = parse(client, splitter.end()) as { metadata?: Record<string, unknown> };
  const { resourceVersion, continue: next } = metadata ?? {};
  if (typeof resourceVersion !== "string")
    throw kubeErrors.KUBE_BAD_ANSWER({ server: client.access.server.host, cause: "no list" });
  return { resourceVersion, continueToken: typeof next === "string" && next !== "" ? next : undefined };
}

export function selectionPath(selection: Selection, query: Readonly<Record<string, string>>): string {
  const { resource, namespace, labelSelector, fieldSelector } = selection;
  const search = new URLSearchParams({
    ...query,
    ...(labelSelector && { labelSelector }),
    ...(fieldSelector && { fieldSelector }),
  });
  return `${resourcePath(resource, { namespace })}?${search}`;
}

function parse(client: KubeClient, text: string): unknown {
  try {
    return parseJson(text, client);
  } catch (error) {
    throw kubeErrors.KUBE_BAD_ANSWER({ server: client.access.server.host, cause: error });
  }
}

const silentListMs = 30_000;
