// Passes a request of a command's program to the API server and the answer back. Bodies are streamed both ways.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type KubeClient, kubeUnreachable } from "@fairlead/kube";
import type { Dispatcher } from "undici";
import { answerRefusal } from "./answer-refusal.ts";
import { doorErrors } from "./errors.ts";
import type { Rewriting } from "./filter-secrets.ts";
import { dropContentLines, headerLines, linesForRewriting } from "./header-lines.ts";
import { rewriteAnswer } from "./rewrite-answer.ts";

export async function passOn(options: {
  readonly kube: KubeClient;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly mayPass: () => boolean;
  readonly userAgent: string;
  /** As the API server has it. */
  readonly path: string;
  readonly body: IncomingMessage | Buffer | null;
  readonly rewriting?: Rewriting | undefined;
}): Promise<void> {
  const { kube, request, response, mayPass, userAgent, path, body, rewriting } = options;
  const { pool, access } = kube;
  const authorization = await access.authorization();
  const sent = headerLines(request.rawHeaders);
  const headers = [...(rewriting ? linesForRewriting(sent) : sent), "User-Agent", userAgent];
  if (authorization !== undefined) headers.push("Authorization", authorization);
  const method = request.method ?? "GET";
  let isPutOff = false;
  let controller: Dispatcher.DispatchController | undefined;
  response.on("drain", () => controller?.resume());
  response.on("close", () => {
    if (!response.writableFinished) controller?.abort(new Error("the program has gone"));
  });
  const answer = rewriting ? rewriteAnswer(response, rewriting) : streamAnswer(response);
  pool.dispatch(
    {
      method,
      path: pool.basePath + path,
      body,
      reset: false,
      headers: Buffer.isBuffer(body) ? dropContentLines(headers) : headers,
    },
    {
      ...answer,
      onRequestStart(started) {
        controller = started;
        if (response.destroyed) started.abort(new Error("the program has gone"));
      },
      onResponseStart(started, status, ...rest) {
        isPutOff = status === 403 && mayPass();
        if (isPutOff) answerRefusal(response, doorErrors.DOOR_RIGHTS_UNSETTLED());
        else answer.onResponseStart?.(started, status, ...rest);
      },
      onResponseData(...data) {
        if (!isPutOff) answer.onResponseData?.(...data);
      },
      onResponseEnd(...ended) {
        if (!isPutOff) answer.onResponseEnd?.(...ended);
      },
      onResponseError(_, error) {
        if (isPutOff) return;
        answerRefusal(response, answer.failure() ?? kubeUnreachable(access.server.host, error));
      },
    },
  );
}

function streamAnswer(response: ServerResponse): Dispatcher.DispatchHandler & { failure(): undefined } {
  return {
    onResponseStart(started, status) {
      if (status < 200) return;
      response.writeHead(status, headerLines((started.rawHeaders as Buffer[]).map((part) => part.toString("latin1"))));
      // The head of a watch counts before its first event.
      response.flushHeaders();
    },
    onResponseData(started, chunk) {
      if (!response.write(chunk)) started.pause();
    },
    onResponseEnd() {
      response.end();
    },
    failure: () => undefined,
  };
}
