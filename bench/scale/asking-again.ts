// Clients that read, each on a connection that it keeps. Like Go's and browsers', they ask once more, on another
// connection, when theirs ends before the answer was there.
import { Agent, get } from "node:https";
import type { TestHub } from "@fairlead/testkit";

export interface AskedAgain {
  readonly answered: number;
  /** Requests among these that were asked twice. */
  readonly again: number;
  readonly failures: readonly string[];
  /** The longest that one of them waited. */
  readonly worstMs: number;
}

const pauseMs = 20;
const patienceMs = 30_000;

export function keepAskingAgain(options: {
  hub: Pick<TestHub, "port" | "caPem" | "adminToken">;
  paths: readonly string[];
  clients: number;
}): { stop(): Promise<AskedAgain> } {
  const { hub, paths, clients } = options;
  const failures: string[] = [];
  let [answered, again, worstMs, isStopped] = [0, 0, 0, false];
  const running = Array.from({ length: clients }, (_, client) => run(client));
  return {
    async stop() {
      isStopped = true;
      await Promise.all(running);
      return { answered, again, failures, worstMs };
    },
  };

  async function run(client: number): Promise<void> {
    let agent = open();
    for (let turn = client; !isStopped; turn++) {
      const path = paths[turn % paths.length] ?? "";
      const startedAt = performance.now();
      let outcome = await ask(agent, path);
      if (outcome === "broken") {
        again += 1;
        agent.destroy();
        agent = open();
        outcome = await ask(agent, path);
      }
      worstMs = Math.max(worstMs, performance.now() - startedAt);
      if (outcome === 200) answered += 1;
      else failures.push(`${path}: ${outcome}`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    agent.destroy();
  }

  function open(): Agent {
    return new Agent({ keepAlive: true, maxSockets: 1, ca: hub.caPem });
  }

  /** `broken` when the connection ended before the whole answer was there. */
  function ask(agent: Agent, path: string): Promise<number | string> {
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${hub.adminToken}` };
      const call = get({ agent, host: "127.0.0.1", port: hub.port, path, timeout: patienceMs, headers }, (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => {
          text = (text + chunk.toString()).slice(0, 300);
        });
        answer.once("error", () => resolve("broken"));
        answer.once("end", () => resolve(answer.statusCode === 200 ? 200 : `${answer.statusCode} ${text}`));
      });
      call.once("timeout", () => {
        resolve(`no answer in ${patienceMs / 1000} s`);
        call.destroy();
      });
      call.once("error", () => resolve("broken"));
    });
  }
}
