// Calls that their caller never ends, by a clock that moves when told.
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import {
  createBudgetShare,
  createLinkBudget,
  createSlots,
  type LinkStream,
  type OpenHead,
  type ResetCode,
  resetCodes,
} from "../link/index.ts";
import { openHead, SessionPair } from "../link/session/session-pair.fixture.ts";
import { createRpcAcceptor } from "./acceptor.ts";
import { EchoService, note } from "./echo-service.fixture.ts";

const acceptOnHub = createRpcAcceptor({
  routes: (router) =>
    void router.service(EchoService, {
      once: () => note(1),
      both: async function* (requests: AsyncIterable<unknown>) {
        for await (const _ of requests) yield note(1);
      },
    } as unknown as Record<string, never>),
});

it("gives up a call with one message when that isn't whole, or its answer isn't taken, in half a minute", async () => {
  const pair = new SessionPair({ acceptOnHub });
  const calls = [call(pair, "/test.v1.EchoService/Once"), call(pair, "/nowhere")];
  await pass(pair, 29);
  expect(calls.map(({ ended }) => ended)).toEqual([undefined, undefined]);
  await pass(pair, 2);
  expect(calls.map(({ ended }) => ended)).toEqual([resetCodes.deadline, resetCodes.deadline]);
  expect(pair.hub.session.streamCount).toBe(0);
});

it("lets a call with streams go on for as long as something comes now and then", async () => {
  const pair = new SessionPair({ acceptOnHub });
  const both = call(pair, "/test.v1.EchoService/Both");
  for (let round = 0; round < 5; round++) {
    both.stream.write(emptyMessage);
    await pass(pair, 110);
  }
  expect(both.ended).toBeUndefined();
  await pass(pair, 15);
  expect(both.ended).toBe(resetCodes.deadline);
});

it("gives a call back its place when it is over, on whichever link", async () => {
  const budget = createBudgetShare({ of: createLinkBudget({ totalBytes: 1_000_000 }), mostBytes: 500_000 });
  const hubPeers = { budget, places: createSlots(3) };
  const pairs = [0, 1].map(() => new SessionPair({ acceptOnHub, hubPeers })) as [SessionPair, SessionPair];
  const both = (pair: SessionPair): Call => call(pair, "/test.v1.EchoService/Both");
  const calls = [both(pairs[0]), both(pairs[0]), both(pairs[1]), both(pairs[1])];
  for (const pair of pairs) await pass(pair, 0);
  expect(calls.map(({ ended }) => ended)).toEqual([undefined, undefined, undefined, resetCodes.overloaded]);
  pairs[0].hub.session.close("done");
  expect(budget.grantedBytes).toBeLessThan(300_000);
  const more = [both(pairs[1]), both(pairs[1]), both(pairs[1])];
  await pass(pairs[1], 0);
  expect(more.map(({ ended }) => ended)).toEqual([undefined, undefined, resetCodes.overloaded]);
  pairs[1].hub.session.close("done");
  expect(budget.grantedBytes).toBe(0);
});

interface Call {
  readonly stream: LinkStream;
  ended: ResetCode | undefined;
}

/** Calls a method whose request has no end. */
function call(pair: SessionPair, path: string): Call {
  const contentType = path.endsWith("Both") ? "application/connect+proto" : "application/proto";
  const open: OpenHead = {
    ...openHead({ target: "rpc", method: "POST", path, headers: ["content-type", contentType] }),
    deadlineMs: 86_400_000,
  };
  const opened: { ended: ResetCode | undefined } = { ended: undefined };
  const stream = pair.agent.session.openStream(open, {
    onData: (chunk) => stream.consumed(chunk.byteLength),
    onEnd() {},
    onReset: (_, code) => {
      opened.ended = code;
    },
  });
  return Object.assign(opened, { stream });
}

async function pass(pair: SessionPair, seconds: number): Promise<void> {
  for (let quarter = 0; quarter <= seconds * 4; quarter++) {
    pair.settle();
    await setImmediate();
    pair.clock.move(quarter === 0 ? 0 : 250);
  }
  pair.settle();
}

/** Connect's envelope around a message without fields. */
const emptyMessage = Buffer.alloc(5);
