// Clients that go on asking, each on a connection that it keeps: what they see of a change is what users would see.
import { Agent, get } from "node:https";
import type { TestHub } from "@fairlead/testkit";

export interface Load {
  /** Lets what is under way end. */
  stop(): Promise<{ readonly asked: number; readonly failures: readonly string[] }>;
}

/** With four clients a gap of 13 ms is seen, and others have most of the processors. */
const pauseMs = 50;

export function keepAsking(hub: TestHub, path: string, clientCount = 4): Load {
  const failures: string[] = [];
  let asked = 0;
  let isStopped = false;
  const startedAt = performance.now();
  const clients = Array.from({ length: clientCount }, () => run());
  return {
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      return { asked, failures };
    },
  };

  async function run(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: hub.caPem });
    while (!isStopped) {
      const outcome = await ask(agent);
      asked++;
      const atMs = Math.round(performance.now() - startedAt);
      if (outcome !== 200) failures.push(`after ${atMs} ms: ${outcome}`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    agent.destroy();
  }

  function ask(agent: Agent): Promise<number | string> {
    return new Promise((resolve) => {
      const options = { agent, host: "127.0.0.1", port: hub.port, path, timeout: 30_000 };
      const headers = { authorization: `Bearer ${hub.adminToken}` };
      const call = get({ ...options, headers }, (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => {
          text = (text + chunk.toString()).slice(0, 300);
        });
        answer.once("error", (error) => resolve(`broken: ${error.message}`));
        answer.once("end", () => resolve(answer.statusCode === 200 ? 200 : `${answer.statusCode} ${text}`));
      });
      call.once("timeout", () => call.destroy(new Error("no answer")));
      call.once("error", (error) => resolve(error.message));
    });
  }
}
