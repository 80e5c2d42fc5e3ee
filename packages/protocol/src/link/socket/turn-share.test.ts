import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSocketPair, type SocketPair } from "./link-pair.fixture.ts";
import { TurnShare } from "./turn-share.ts";

let greedy: SocketPair;
let modest: SocketPair;
beforeEach(async () => {
  [greedy, modest] = await Promise.all([openSocketPair(), openSocketPair()]);
});
afterEach(async () => {
  await Promise.all([greedy.close(), modest.close()]);
});

it("lets an owner's sockets wait while they have had their turn, and loses nothing of theirs", async () => {
  const share = new TurnShare({ mostMs: 5 });
  share.watch(greedy.hubSocket);
  let received = 0;
  let most = 0;
  let sinceOther = 0;
  greedy.hubSocket.on("message", () => {
    received++;
    most = Math.max(most, ++sinceOther);
    const untilMs = performance.now() + 1;
    while (performance.now() < untilMs);
  });
  modest.hubSocket.on("message", () => {
    sinceOther = 0;
    modest.hubSocket.send("answer");
  });
  // 64 KiB each: what is read at once is handled at once.
  for (let count = 0; count < 300; count++) greedy.agentSocket.send(Buffer.alloc(65_536));
  while (received < 300) {
    modest.agentSocket.send("ask");
    await once(modest.agentSocket, "message");
  }
  expect(received).toBe(300);
  expect(most).toBeLessThan(60);
});

it("has no sockets left to pause when they are closed, and takes none that isn't open", async () => {
  const share = new TurnShare({ mostMs: 0 });
  share.watch(greedy.hubSocket);
  greedy.agentSocket.send("one");
  expect(String((await once(greedy.hubSocket, "message"))[0])).toBe("one");
  greedy.agentSocket.close();
  await once(greedy.hubSocket, "close");
  share.watch(greedy.hubSocket);
  share.watch(modest.hubSocket);
  modest.agentSocket.send("two");
  expect(String((await once(modest.hubSocket, "message"))[0])).toBe("two");
});
