import type { Socket } from "node:net";
import { type FairleadError, toProblem } from "@fairlead/kernel";
import { endSoon } from "./end-soon.ts";

/** Answers a connection that wanted to become a WebSocket with a problem document, and closes it. */
export function refuseUpgrade(
  socket: Socket,
  error: FairleadError,
  options: {
    /** Behind the status. */
    readonly statusText: string;
    /** Further lines of the head. */
    readonly headers?: readonly string[];
  },
): void {
  const problem = toProblem(error);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${options.statusText}`,
    "Connection: close",
    "Content-Type: application/problem+json",
    ...(options.headers ?? []),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  endSoon(socket, `${head.join("\r\n")}\r\n\r\n${body}`);
}
