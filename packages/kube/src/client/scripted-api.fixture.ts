// An API server that says what a test wants it to, for what a real one does only at bad moments.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createKubeClient, type KubeClient } from "./client.ts";

export interface ScriptedCall {
  readonly type: "list" | "initial" | "watch";
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
  /** The one before which as many calls of any type came. */
  readonly index: number;
}

export interface ScriptedApi extends AsyncDisposable {
  readonly client: KubeClient;
  readonly calls: ScriptedCall[];
  types(): string[];
}

export async function startScriptedApi(answer: (call: ScriptedCall) => void): Promise<ScriptedApi> {
  const calls: ScriptedCall[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/livez/ping") return void response.end("ok");
    const query = new URL(request.url ?? "", "http://x").searchParams;
    const type = query.has("sendInitialEvents") ? "initial" : query.has("watch") ? "watch" : "list";
    const call: ScriptedCall = { type, query, response, index: calls.length };
    calls.push(call);
    answer(call);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = createKubeClient({
    access: {
      server: new URL(`http://127.0.0.1:${port}`),
      insecureSkipTlsVerify: false,
      authorization: () => "Bearer t",
      namespace: "default",
    },
  });
  return {
    client,
    calls,
    types: () => calls.map(({ type }) => type),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

export function answerList(
  call: ScriptedCall,
  names: readonly string[],
  metadata: { resourceVersion: string; continue?: string },
): void {
  call.response.end(
    JSON.stringify({ kind: "List", apiVersion: "v1", metadata, items: names.map((name) => item(name)) }),
  );
}

export function answerStatus(call: ScriptedCall, code: number, more: object = {}): void {
  call.response.writeHead(code).end(JSON.stringify(statusBody(code, more)));
}

/** Sends an event of a watch, which stays open. */
export function send(call: ScriptedCall, type: string, object: object): void {
  if (!call.response.headersSent) call.response.writeHead(200);
  call.response.write(`${JSON.stringify({ type, object })}\n`);
}

/** Agrees to watch and says nothing. */
export function agree(call: ScriptedCall): void {
  call.response.writeHead(200);
  call.response.flushHeaders();
}

export function bookmark(resourceVersion: string, isEndOfList = false): object {
  return {
    metadata: { resourceVersion, ...(isEndOfList && { annotations: { "k8s.io/initial-events-end": "true" } }) },
  };
}

export function statusBody(code: number, more: object = {}): object {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: `it is ${code}`, code, ...more };
}

export function item(name: string, resourceVersion = "1"): { metadata: object } {
  return { metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion } };
}
