// Passes a request of a command's program to the API server and the answer back. Bodies are streamed both ways.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { type KubeClient, kubeUnreachable } from "@fairlead/kube";
import type { Dispatcher } from "undici";

export function passOn(options: {
  readonly kube: KubeClient;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly userAgent: string;
  /** As the API server has it. */
  readonly path: string;
}): void {
  const { response } = options;
  send(options).catch((thrown: unknown) => refuse(response, toFairleadError(thrown)));
}

async function send({ kube, request, response, userAgent, path }: Parameters<typeof passOn>[0]): Promise<void> {
  const { pool, access } = kube;
  const authorization = await access.authorization();
  const headers = [...readHeaders(request.rawHeaders), "User-Agent", userAgent];
  if (authorization !== undefined) headers.push("Authorization", authorization);
  const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"]) > 0;
  const method = request.method ?? "GET";
  let controller: Dispatcher.DispatchController | undefined;
  response.on("drain", () => controller?.resume());
  response.on("close", () => {
    if (!response.writableFinished) controller?.abort(new Error("the program has gone"));
  });
  pool.dispatch(
    { method, path: pool.basePath + path, headers, body: hasBody ? request : null, reset: false },
    {
      onRequestStart(started) {
        controller = started;
        if (response.destroyed) started.abort(new Error("the program has gone"));
      },
      onResponseStart(started, status) {
        if (status < 200) return;
        response.writeHead(
          status,
          readHeaders((started.rawHeaders as Buffer[]).map((part) => part.toString("latin1"))),
        );
        // The head of a watch counts before its first event.
        response.flushHeaders();
      },
      onResponseData(started, chunk) {
        if (!response.write(chunk)) started.pause();
      },
      onResponseEnd() {
        response.end();
      },
      onResponseError(_, error) {
        refuse(response, kubeUnreachable(access.server.host, error));
      },
    },
  );
}

/** Drops the headers in which a program names itself, and those that concern one connection only. */
function readHeaders(raw: readonly string[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase().trim();
    if (droppedNames.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    lines.push(raw[i] ?? "", raw[i + 1] ?? "");
  }
  return lines;
}

/** In the API server's shape, so that programs print the sentence. A cut answer never looks like a whole one. */
function refuse(response: ServerResponse, error: FairleadError): void {
  if (response.headersSent) return void response.destroy();
  const { code, message, hint = "", httpStatus } = error;
  response.writeHead(httpStatus, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(
    JSON.stringify({
      ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: httpStatus },
      message: `${message} ${hint}`.trim(),
      reason: httpStatus === 403 ? "Forbidden" : "InternalError",
      details: { causes: [{ reason: code, message }] },
    }),
  );
}

const droppedNames = new Set([
  ...["host", "authorization", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade"],
  ...["transfer-encoding", "expect", "user-agent"],
]);
const droppedPrefixes = ["impersonate-", "impersonate_", "x-remote-", "x_remote_"];
