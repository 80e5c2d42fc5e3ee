import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Writable } from "node:stream";
import { orAbort } from "@fairlead/kernel";
import type { Environment } from "./config/index.ts";
import type { RequestTrace } from "./trace/index.ts";

/** Everything outside that a command touches, so that tests can play it. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly environment: Environment;
  readonly now: () => number;
  /** Shows the page in a browser where there is one; never throws. */
  readonly openBrowser: (url: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Told of each request where `-v` asks for that. */
  readonly trace?: RequestTrace | undefined;
}

/** True when someone can be asked. Questions go to stderr, so that stdout stays the answer's. */
export function canAsk(terminal: Terminal): boolean {
  return terminal.stdin.isTTY === true && terminal.stderr.isTTY === true;
}

export async function ask(terminal: Terminal, question: string, options: { hidden?: boolean } = {}): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: terminal.stdin,
    output: options.hidden ? silent : terminal.stderr,
    terminal: true,
  });
  terminal.stderr.write(options.hidden ? question : "");
  try {
    terminal.signal.throwIfAborted();
    const answer = new Promise<string>((resolve, reject) => {
      lines.once("SIGINT", () => reject(new Interrupted()));
      lines.once("close", () => resolve(""));
      lines.question(options.hidden ? "" : question, resolve);
    });
    return await orAbort(answer, terminal.signal);
  } finally {
    lines.close();
    if (options.hidden) terminal.stderr.write("\n");
  }
}

export async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** The question was answered, and the answer is no: the exit code says so too. */
export class AnswerIsNo extends Error {}

/** Ends the command with an exit code that it has for itself; its cause, where there is one, is told as any error is. */
export class EndsWith extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, options?: { readonly cause: unknown }) {
    super(undefined, options);
    this.exitCode = exitCode;
  }
}

/** Ctrl-C: ends the command without a message. */
export class Interrupted extends Error {}
