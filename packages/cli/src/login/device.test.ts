import { createHubClient } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createHubFetch } from "../hub/index.ts";
import { createTestTerminal } from "../testing/cli.fixture.ts";
import { type ContractHub, startContractHub } from "../testing/hub.fixture.ts";
import { signInWithDevice } from "./device.ts";

async function signIn(hub: ContractHub) {
  const waits: number[] = [];
  const { terminal } = createTestTerminal("/nowhere");
  const client = createHubClient({ baseUrl: hub.url, fetch: createHubFetch({ ca: hub.authority.caPem }) });
  const wait = (delayMs: number): Promise<void> => {
    waits.push(delayMs);
    return Promise.resolve();
  };
  return { waits, session: await signInWithDevice({ client, terminal, wait }) };
}

test("the hub is asked at the interval that it names, and more slowly when it says so", async () => {
  await using hub = await startContractHub();
  hub.sessions.devicePolls.push("pending", "slow", "pending");

  const { waits, session } = await signIn(hub);

  expect(waits).toEqual([500, 5_000, 10_000, 5_000]);
  expect(session.accessToken).toMatch(/^fls_/);
});

test("a sign-in that was refused, or whose time is over, ends with what the hub says", async () => {
  await using hub = await startContractHub();
  hub.sessions.devicePolls.push("pending", "refused");

  await expect(signIn(hub)).rejects.toMatchObject({ code: "AUTH_DEVICE_REFUSED" });
});
