// For `globalSetup` in vitest's configuration: makes sharedCluster() work in every worker.
import { startBroker } from "./shared/broker.ts";

let broker: AsyncDisposable | undefined;

export async function setup(): Promise<void> {
  broker = await startBroker();
}

export async function teardown(): Promise<void> {
  await broker?.[Symbol.asyncDispose]();
}
