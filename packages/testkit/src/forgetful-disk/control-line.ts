import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { testkitErrors } from "../errors.ts";

export interface Answer {
  readonly position: number;
  readonly syncs?: readonly number[];
  readonly error?: string;
}

export interface ControlLine extends Disposable {
  /** Answers come in the order of the commands. Throws TESTKIT_DISK_FAILED. */
  send(command: { readonly do: string; readonly [name: string]: unknown }): Promise<Answer>;
}

/** A line to the control socket of tools/forgetful; control.go lists the commands. */
export async function openControlLine(socketFile: string): Promise<ControlLine> {
  const socket = createConnection(socketFile);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const waiting: PromiseWithResolvers<Answer>[] = [];
  createInterface({ input: socket }).on("line", (line) => waiting.shift()?.resolve(JSON.parse(line) as Answer));
  socket.on("error", () => {});
  socket.once("close", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error("the disk's process has ended"));
  });
  return {
    async send(command) {
      const answered = Promise.withResolvers<Answer>();
      if (socket.destroyed) answered.reject(new Error("the disk's process has ended"));
      else waiting.push(answered);
      socket.write(`${JSON.stringify(command)}\n`);
      const answer = await answered.promise.catch((cause: unknown) => {
        throw testkitErrors.TESTKIT_DISK_FAILED({ command: command.do, reason: "its process has ended", cause });
      });
      if (answer.error !== undefined) {
        throw testkitErrors.TESTKIT_DISK_FAILED({ command: command.do, reason: answer.error });
      }
      return answer;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
