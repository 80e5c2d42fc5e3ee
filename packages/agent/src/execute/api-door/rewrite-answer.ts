// Answers a program with what it may get of the API server's answer. Nothing of an answer that can't be read gets out.
import type { ServerResponse } from "node:http";
import { LineSplitter } from "@fairlead/kube";
import type { Dispatcher } from "undici";
import { answerRefusal } from "./answer-refusal.ts";
import { doorErrors } from "./errors.ts";
import type { Rewriting } from "./filter-secrets.ts";
import { dropContentLines, headerLines } from "./header-lines.ts";

export function rewriteAnswer(
  response: ServerResponse,
  rewriting: Rewriting,
): Dispatcher.DispatchHandler & { failure(): unknown } {
  let failure: unknown;
  let status = 0;
  let head: string[] = [];
  let sizeBytes = 0;
  const chunks: Buffer[] = [];
  const lines = new LineSplitter();
  const isLines = (): boolean => rewriting.is === "lines" && status < 400;
  const attempt = (controller: Dispatcher.DispatchController, act: () => void): void => {
    try {
      act();
    } catch (error) {
      failure ??= error;
      controller.abort(error instanceof Error ? error : new Error("an answer that can't be read"));
    }
  };
  return {
    failure: () => failure,
    onResponseStart: (controller, statusCode) =>
      attempt(controller, () => {
        if (statusCode < 200) return;
        status = statusCode;
        const raw = (controller.rawHeaders as Buffer[]).map((part) => part.toString("latin1"));
        head = dropContentLines(headerLines(raw));
        const isJson = raw.some(
          (text, at) => /^content-type$/i.test(text) && /^application\/json\b/i.test(raw[at + 1] ?? ""),
        );
        if (!isJson && status < 400) throw unreadable("it isn't JSON");
        if (!isLines()) return;
        response.writeHead(status, head);
        response.flushHeaders();
      }),
    onResponseData: (controller, chunk) =>
      attempt(controller, () => {
        if (isLines()) {
          for (const line of lines.push(chunk)) {
            const event = rewriting.rewrite(parse(line), status);
            if (event !== undefined && !response.write(`${JSON.stringify(event)}\n`)) controller.pause();
          }
          return;
        }
        sizeBytes += chunk.length;
        if (sizeBytes > maxAnswerBytes) throw unreadable(`it is larger than ${maxAnswerBytes} bytes`);
        chunks.push(chunk);
      }),
    onResponseEnd() {
      if (isLines()) return void response.end();
      try {
        const body = Buffer.concat(chunks);
        const answer = status < 400 ? JSON.stringify(rewriting.rewrite(parse(body.toString("utf8")), status)) : body;
        response.writeHead(status, head);
        response.end(answer);
      } catch (error) {
        answerRefusal(response, error);
      }
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable("it isn't JSON");
  }
}

function unreadable(detail: string): Error {
  return doorErrors.DOOR_ANSWER_UNREADABLE({ detail });
}

const maxAnswerBytes = 64 * 1024 * 1024;
