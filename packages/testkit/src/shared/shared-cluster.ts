// A cluster for all test files of a run. The runner's main process serves it (vitest-global-setup.ts) and starts it
// when the first worker asks; each test file then makes namespaces of its own.
import { type ClusterAccess, openCluster } from "../cluster/index.ts";
import { type TestkitCode, testkitErrors } from "../errors.ts";
import { askBroker, type BrokerAnswer, brokerSocketVariable } from "./broker.ts";

let cluster: Promise<ClusterAccess> | undefined;

/** Fails with TOOLS_UNAVAILABLE where the binaries cannot be had; vitest-setup.fixture.ts turns that into a skip. */
export function sharedCluster(): Promise<ClusterAccess> {
  cluster ??= requestCluster();
  return cluster;
}

async function requestCluster(): Promise<ClusterAccess> {
  const socket = process.env[brokerSocketVariable];
  if (socket === undefined) throw testkitErrors.TESTKIT_NO_SHARED_CLUSTER();
  const answer: BrokerAnswer = await askBroker(socket);
  if ("stateDir" in answer) return openCluster(answer.stateDir);
  const { code, message: detail } = answer.error;
  throw code === unavailable
    ? testkitErrors.TOOLS_UNAVAILABLE({ detail })
    : testkitErrors.TESTKIT_SHARED_CLUSTER_FAILED({ detail });
}

const unavailable: TestkitCode = "TOOLS_UNAVAILABLE";
