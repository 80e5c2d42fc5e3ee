// One cluster for all test files of a run. The runner's main process serves it (vitest-global-setup.ts) and starts
// it when the first worker asks; each test file then makes namespaces of its own.
import { FairleadError } from "@fairlead/kernel";
import { type ClusterAccess, openCluster } from "../cluster/index.ts";
import { noSharedCluster } from "../errors.ts";
import { unavailableReason } from "../tools/index.ts";
import { askBroker, type BrokerAnswer, brokerSocketVariable } from "./broker.ts";

let cluster: Promise<ClusterAccess> | undefined;

/** Give it the test's or suite's context to have it reported as skipped where the binaries cannot be had. */
export async function sharedCluster(test?: { skip: (note?: string) => void }): Promise<ClusterAccess> {
  cluster ??= requestCluster();
  try {
    return await cluster;
  } catch (error) {
    const reason = unavailableReason(error);
    if (reason !== undefined) test?.skip(reason);
    throw error;
  }
}

async function requestCluster(): Promise<ClusterAccess> {
  const socket = process.env[brokerSocketVariable];
  if (socket === undefined) throw noSharedCluster();
  const answer: BrokerAnswer = await askBroker(socket);
  if ("stateDir" in answer) return openCluster(answer.stateDir);
  throw new FairleadError(answer.error);
}
