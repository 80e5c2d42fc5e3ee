// A program in bench/peers that is told what to do again and again, and answers. In a process of its own, so that neither
// its work nor its memory is somebody else's.
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";

export interface ForkedPeer extends AsyncDisposable {
  ask<T = void>(name: string, argument?: unknown): Promise<T>;
}

interface Question {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export function forkPeer(file: string): ForkedPeer {
  const child: ChildProcess = fork(join(repoRoot, "bench", "peers", file), {
    execArgv: ["--conditions=@fairlead/source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (reason: Error) => void }>();
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let next = 0;
  child.on("message", ({ id, value, error }: Answer) => {
    if (error === undefined) waiting.get(id)?.resolve(value);
    else waiting.get(id)?.reject(new Error(`${file}: ${error}`));
    waiting.delete(id);
  });
  void exited.then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} has ended`));
  });
  return {
    ask<T>(name: string, argument?: unknown) {
      const id = next++;
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        child.send({ id, name, argument } satisfies Question);
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

/** The other side: what the peer does when it is asked. */
// biome-ignore lint/suspicious/noExplicitAny: each handler knows what its own argument is
export function serveParent(handlers: Readonly<Record<string, (argument: any) => unknown>>): void {
  const answer = async ({ id, name, argument }: Question): Promise<void> => {
    try {
      process.send?.({ id, value: await handlers[name]?.(argument) } satisfies Answer);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.send?.({ id, error: text } satisfies Answer);
    }
  };
  process.on("message", (question: Question) => void answer(question));
  process.on("disconnect", () => process.exit());
}
