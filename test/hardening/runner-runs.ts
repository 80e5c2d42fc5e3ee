// Speaks the runner's protocol: an order, then bytes and signals both ways. tools/runner/frames.go has the frames.
import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Order {
  readonly argv: readonly string[];
  readonly separation: "namespaces" | "uid" | "container" | "none";
  readonly env?: readonly string[];
  readonly dir?: string;
  readonly uid?: number;
  readonly write?: readonly string[];
  readonly read?: readonly string[];
  readonly connect?: readonly number[] | null;
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly shareGroup?: boolean;
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined when the program could not be started, or the connection was cut. */
  readonly code: number | undefined;
  readonly failed: { readonly code: string; readonly message: string } | undefined;
}

export interface Run {
  readonly connection: Duplex;
  /** Resolves to the program's pid as the runner sees it. */
  readonly started: Promise<number>;
  readonly ended: Promise<Ended>;
  /** The process `fairlead-runner exec`; undefined on a served socket. */
  readonly runnerPid: number | undefined;
}

const channels = { messages: 0, stdin: 1, stdout: 2, stderr: 3 };

/** Starts `fairlead-runner exec` as this uid, or as the one that is given. */
export function startRun(options: {
  readonly runner: string;
  readonly order: Order;
  readonly stdin?: string | undefined;
  readonly as?: number | undefined;
}): Run {
  const { runner, order, stdin = "", as } = options;
  const child = spawn(runner, ["exec", "--fd", "3"], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    ...(as !== undefined && { uid: as, gid: as }),
  });
  // The pipe is a unix socket, open both ways.
  const connection = child.stdio[3] as Duplex;
  return { ...speak({ connection, order, stdin }), runnerPid: child.pid };
}

export function speak(options: {
  readonly connection: Duplex | Socket;
  readonly order: Order;
  readonly stdin?: string;
}): {
  readonly connection: Duplex;
  readonly started: Promise<number>;
  readonly ended: Promise<Ended>;
} {
  const { connection, order, stdin = "" } = options;
  const started = Promise.withResolvers<number>();
  started.promise.catch(() => undefined);
  const whole = { env: ["PATH=/usr/bin:/bin"], dir: "/", write: [], read: [], connect: null, ...order };
  connection.on("error", () => undefined);
  connection.write(frame(channels.messages, JSON.stringify(whole)));
  if (stdin !== "") connection.write(frame(channels.stdin, stdin));
  connection.write(frame(channels.stdin, ""));
  return { connection, started: started.promise, ended: readAll(connection, started) };
}

export function sendSignal(run: Pick<Run, "connection">, signal: "INT" | "TERM" | "KILL"): void {
  run.connection.write(frame(channels.messages, JSON.stringify({ signal })));
}

async function readAll(connection: Duplex, started: PromiseWithResolvers<number>): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  let [code, failed]: [Ended["code"], Ended["failed"]] = [undefined, undefined];
  for await (const { channel, payload } of readFrames(connection)) {
    if (channel === channels.stdout) output.stdout += payload.toString("utf8");
    if (channel === channels.stderr) output.stderr += payload.toString("utf8");
    if (channel !== channels.messages) continue;
    const message = JSON.parse(payload.toString("utf8"));
    if (message.started !== undefined) started.resolve(message.started.pid);
    if (message.exited !== undefined) code = message.exited.code;
    if (message.failed !== undefined) failed = message.failed;
  }
  started.reject(new Error(`not started: ${JSON.stringify(failed)}`));
  return { ...output, code, failed };
}

async function* readFrames(connection: Duplex): AsyncGenerator<{ channel: number; payload: Buffer }> {
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of connection) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
        const end = 5 + rest.readUInt32BE(1);
        yield { channel: rest.readUInt8(0), payload: rest.subarray(5, end) };
        rest = rest.subarray(end);
      }
    }
  } catch {
    // A connection that was cut ends as well.
  }
}

function frame(channel: number, payload: string): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(5);
  head.writeUInt8(channel, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
