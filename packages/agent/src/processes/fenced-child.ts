// Runs a program by a runner, which fences it. The connection is the program's leash: when it ends, so does the program.
import { PassThrough } from "node:stream";
import { reasonOf } from "@fairlead/kernel";
import type { Child, ChildOptions, StopSignal } from "./child.ts";
import { processErrors } from "./errors.ts";
import type { ProcessFence } from "./fence.ts";
import { channels, FrameReader, toFrames } from "./frames.ts";

export function startFencedChild(options: ChildOptions & { readonly fence: ProcessFence }): Child {
  const { program, stdin, fence } = options;
  const connection = fence.place.connect();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exited = Promise.withResolvers<number>();
  const closed = Promise.all([stdout, stderr].map((output) => new Promise((resolve) => output.once("close", resolve))));
  let isStarted = false;
  const fail = (reason: string, cause?: unknown): void => {
    if (isStarted) exited.resolve(killedCode);
    else exited.reject(processErrors.PROCESS_NOT_STARTED({ program: program.name, reason, cause }));
  };
  const outputs = { [channels.stdout]: stdout, [channels.stderr]: stderr };
  const reader = new FrameReader((channel, payload) => {
    if (channel === channels.control) return heed(JSON.parse(payload.toString("utf8")) as RunnerMessage);
    const output = outputs[channel as keyof typeof outputs];
    // Copied: the stream keeps it longer than the connection keeps its buffer.
    if (output?.write(Buffer.from(payload)) === false) connection.pause();
  });
  const goOn = (): void => {
    if (!stdout.writableNeedDrain && !stderr.writableNeedDrain) connection.resume();
  };
  for (const output of [stdout, stderr]) output.on("drain", goOn);
  connection.on("data", (chunk: Buffer) => {
    try {
      reader.push(chunk);
    } catch (error) {
      connection.destroy(error as Error);
    }
  });
  connection.on("error", (error) => fail(reasonOf(error), error));
  connection.once("close", () => {
    fail("the runner ended the connection");
    for (const output of [stdout, stderr]) output.end();
  });
  send(channels.control, toOrder(options));
  if (stdin !== undefined && stdin.length > 0) send(channels.stdin, Buffer.from(stdin));
  send(channels.stdin, Buffer.alloc(0));
  return {
    stdout,
    stderr,
    exited: exited.promise,
    closed: closed.then(() => undefined),
    signal: (signal) => send(channels.control, Buffer.from(JSON.stringify({ signal: signalNames[signal] }))),
    // The runner says that a program has ended when nothing of it is left.
    endRest: async () => undefined,
    destroy() {
      for (const stream of [connection, stdout, stderr]) stream.destroy();
    },
  };

  function heed(message: RunnerMessage): void {
    if ("started" in message) isStarted = true;
    else if ("failed" in message) {
      exited.reject(processErrors.PROCESS_NOT_STARTED({ program: program.name, reason: message.failed.message }));
      connection.end();
    } else if ("exited" in message) {
      exited.resolve(message.exited.code);
      connection.end();
    }
  }

  function send(channel: number, payload: Buffer): void {
    if (connection.destroyed || connection.writableEnded) return;
    for (const part of toFrames(channel, payload)) connection.write(part);
  }
}

type RunnerMessage =
  | { readonly started: { readonly pid: number } }
  | { readonly failed: { readonly code: string; readonly message: string } }
  | { readonly exited: { readonly code: number } };

function toOrder({ program, args, folder, environment, memoryBytes, fence }: Parameters<typeof startFencedChild>[0]) {
  const { place, write, read, ports } = fence;
  return Buffer.from(
    JSON.stringify({
      argv: [program.path, ...args],
      env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      dir: folder,
      memoryBytes,
      separation: place.separation,
      uid: place.uid,
      write,
      read,
      connect: ports,
      shareGroup: place.separation === "container",
    }),
  );
}

const signalNames: Readonly<Record<StopSignal, string>> = { SIGINT: "INT", SIGTERM: "TERM", SIGKILL: "KILL" };
/** The runner was killed. */
const killedCode = 137;
