import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { type TestkitCode, testkitErrors } from "../errors.ts";
import { type BrokerAnswer, brokerSocketVariable } from "./broker.ts";

export interface BrokerCall extends Disposable {
  readonly stateDir: string;
}

/**
 * Waits as long as it takes: the first start may build Kubernetes. The test's own timeout bounds it. The connection is
 * open until it is disposed.
 */
export async function askBroker(path: string, query: Readonly<Record<string, string>> = {}): Promise<BrokerCall> {
  const socketPath = process.env[brokerSocketVariable];
  if (socketPath === undefined) throw testkitErrors.TESTKIT_NO_SHARED_CLUSTER();
  const call = get({ socketPath, path: `${path}?${new URLSearchParams(query)}`, agent: false });
  try {
    const [response] = (await once(call, "response")) as [IncomingMessage];
    const answer = await readAnswer(response);
    // The broker that ends tells nobody anything.
    response.on("error", () => {}).resume();
    if ("stateDir" in answer) return { stateDir: answer.stateDir, [Symbol.dispose]: () => void call.destroy() };
    const { code, message: detail } = answer.error;
    throw code === unavailable
      ? testkitErrors.TOOLS_UNAVAILABLE({ detail })
      : testkitErrors.TESTKIT_SHARED_CLUSTER_FAILED({ detail });
  } catch (error) {
    call.destroy();
    throw error;
  }
}

async function readAnswer(response: IncomingMessage): Promise<BrokerAnswer> {
  const lines = createInterface({ input: response });
  const [line] = (await once(lines, "line")) as [string];
  lines.close();
  return JSON.parse(line) as BrokerAnswer;
}

const unavailable: TestkitCode = "TOOLS_UNAVAILABLE";
