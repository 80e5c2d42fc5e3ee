// A cluster for all test files of a run. The runner's main process serves it (vitest-global-setup.ts) and starts it
// when the first worker asks; each test file then makes namespaces of its own.
import { type ClusterAccess, openCluster } from "../cluster/index.ts";
import { askBroker } from "./ask-broker.ts";

let cluster: Promise<ClusterAccess> | undefined;

/** Fails with TOOLS_UNAVAILABLE where the binaries cannot be had; vitest-setup.fixture.ts turns that into a skip. */
export function sharedCluster(): Promise<ClusterAccess> {
  cluster ??= requestCluster();
  return cluster;
}

async function requestCluster(): Promise<ClusterAccess> {
  using answer = await askBroker("/shared");
  return await openCluster(answer.stateDir);
}
