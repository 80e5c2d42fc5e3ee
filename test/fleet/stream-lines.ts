import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { TestHub } from "@fairlead/testkit";
import { freshConnections } from "./fresh-connections.ts";

/** The lines of an answer that goes on. Ends where it ends, in order or not; throws only what `onLine` throws. */
export async function streamLines(options: {
  /** A hub or an API server on loopback. */
  readonly server: Pick<TestHub, "port" | "caPem">;
  readonly path: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Told once the answer has begun. */
  readonly onAnswer?: (status: number) => void;
  readonly onLine: (line: string) => void;
}): Promise<void> {
  const { server, path, token, signal, onAnswer = () => undefined, onLine } = options;
  let answer: IncomingMessage;
  try {
    answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const target = { host: "127.0.0.1", port: server.port, agent: freshConnections(server.caPem), path, signal };
      const call = request({ ...target, headers: { authorization: `Bearer ${token}` } }, resolve);
      call.on("error", reject);
      call.end();
    });
  } catch {
    return;
  }
  onAnswer(answer.statusCode ?? 0);
  answer.setEncoding("utf8");
  const chunks = (answer as AsyncIterable<string>)[Symbol.asyncIterator]();
  let rest = "";
  for (;;) {
    const next = await chunks.next().catch(() => undefined);
    if (next === undefined || next.done === true) return;
    const lines = (rest + next.value).split("\n");
    rest = lines.pop() ?? "";
    if (answer.statusCode === 200) for (const line of lines) onLine(line);
  }
}
