import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import type { TestHub } from "@fairlead/testkit";
import { freshConnections } from "./fresh-connections.ts";

export interface HubAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json(): unknown;
}

/** Sends a request on a connection of its own, with the path exactly as given (no normalising of dots). */
export function requestHub(
  hub: Pick<TestHub, "adminToken" | "caPem" | "port">,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** The admin's token unless given; null-like: none. */
    readonly authorization?: string | undefined;
  } = {},
): Promise<HubAnswer> {
  const authorization = "authorization" in options ? options.authorization : `Bearer ${hub.adminToken}`;
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port: hub.port,
        agent: freshConnections(hub.caPem),
        path,
        method: options.method ?? "GET",
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...options.headers,
        },
        timeout: 60_000,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("error", reject);
        answer.once("end", () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode: status = 0, headers } = answer;
          resolve({ status, headers, text, json: () => JSON.parse(text) });
        });
      },
    );
    call.once("error", reject);
    call.end(options.body);
  });
}
