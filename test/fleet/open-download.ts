import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { TestHub } from "@fairlead/testkit";
import { freshConnections } from "./fresh-connections.ts";

/** How a download ended: whole as HTTP tells it, or broken off. */
export type DownloadEnd = { readonly how: "complete" } | { readonly how: "broken"; readonly error: Error };

export interface Download {
  readonly status: number;
  readonly receivedBytes: number;
  readonly ended: Promise<DownloadEnd>;
  pause(): void;
  resume(): void;
  /** As a client that goes away: the connection is reset. */
  abort(): void;
}

/** A GET whose body is read by the caller's leave; starts paused. */
export function openDownload(hub: TestHub, path: string): Promise<Download> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port: hub.port,
        agent: freshConnections(hub.caPem),
        path,
        headers: { authorization: `Bearer ${hub.adminToken}` },
      },
      (answer) => resolve(follow(answer, () => call.destroy())),
    );
    call.once("error", reject);
    call.end();
  });
}

function follow(answer: IncomingMessage, abort: () => void): Download {
  let receivedBytes = 0;
  const ended = new Promise<DownloadEnd>((resolve) => {
    answer.once("error", (error) => resolve({ how: "broken", error }));
    answer.once("close", () => resolve({ how: "broken", error: new Error("closed before its end") }));
    answer.once("end", () =>
      resolve(answer.complete ? { how: "complete" } : { how: "broken", error: new Error("cut") }),
    );
  });
  answer.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  answer.pause();
  return {
    status: answer.statusCode ?? 0,
    get receivedBytes() {
      return receivedBytes;
    },
    ended,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    abort,
  };
}
