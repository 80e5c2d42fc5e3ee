import { Code, ConnectError, createClient, type HandlerContext } from "@connectrpc/connect";
import { orAbort } from "@fairlead/kernel";
import { afterEach, expect, it } from "vitest";
import { LinkService } from "../index.ts";
import { idleStats } from "../link/session/session-pair.fixture.ts";
import { type LinkPair, openLinkPair } from "../link/socket/link-pair.fixture.ts";
import { createRpcAcceptor } from "./acceptor.ts";
import { type EchoClient, EchoService, type Note, note } from "./echo-service.fixture.ts";
import { createLinkTransport } from "./transport.ts";

interface Implementation {
  once?(request: Note, context: HandlerContext): Promise<Note> | Note;
  down?(request: Note, context: HandlerContext): AsyncIterable<Note>;
  both?(requests: AsyncIterable<Note>, context: HandlerContext): AsyncIterable<Note>;
}

let pair: LinkPair | undefined;

afterEach(async () => {
  await pair?.[Symbol.asyncDispose]();
  pair = undefined;
});

async function connect(implementation: Implementation): Promise<EchoClient> {
  const accept = createRpcAcceptor({
    routes: (router) => void router.service(EchoService, implementation as Record<string, never>),
  });
  pair = await openLinkPair({ acceptOnHub: accept });
  return createClient(EchoService, createLinkTransport({ link: pair.agent })) as unknown as EchoClient;
}

async function expectIdle(): Promise<void> {
  await expect.poll(() => pair?.hub.stats()).toMatchObject(idleStats);
  await expect.poll(() => pair?.agent.stats()).toMatchObject(idleStats);
}

it("answers a typed call of our own service", async () => {
  const accept = createRpcAcceptor({
    routes: (router) =>
      router.service(LinkService, { hello: ({ cluster, sentAtMs }) => ({ cluster, receivedAtMs: sentAtMs + 1n }) }),
  });
  pair = await openLinkPair({ acceptOnHub: accept });
  const client = createClient(LinkService, createLinkTransport({ link: pair.agent }));
  expect(await client.hello({ cluster: "east", sentAtMs: 5n })).toMatchObject({ cluster: "east", receivedAtMs: 6n });
  await expectIdle();
});

it("brings the implementation's error to the caller, and hides what isn't meant for it", async () => {
  const client = await connect({
    once: ({ count }) => {
      if (count === 1) throw new ConnectError("no such cluster", Code.NotFound);
      throw new Error("secret detail");
    },
  });
  await expect(client.once(note(1))).rejects.toMatchObject({ code: Code.NotFound, rawMessage: "no such cluster" });
  const hidden = client.once(note(2));
  await expect(hidden).rejects.toMatchObject({ code: Code.Internal });
  await expect(hidden).rejects.not.toThrow(/secret/);
  await expectIdle();
});

it("streams both ways at once", async () => {
  const client = await connect({
    async *both(requests) {
      for await (const request of requests) yield note(request.count * 10);
    },
  });
  const questions = channel<Note>();
  const answers = client.both(questions)[Symbol.asyncIterator]();
  for (let round = 1; round <= 5; round++) {
    questions.push(note(round));
    expect((await answers.next()).value?.count).toBe(round * 10);
  }
  questions.close();
  expect((await answers.next()).done).toBe(true);
  await expectIdle();
});

it("stops a producer whose caller doesn't read, and goes on when it does", async () => {
  let produced = 0;
  const client = await connect({
    async *down() {
      for (; produced < 600; produced++) yield note(produced, new Uint8Array(50_000));
    },
  });
  const messages = client.down(note(0))[Symbol.asyncIterator]();
  await messages.next();
  await waitUntilStill(() => produced);
  expect(produced).toBeLessThan(60);
  let read = 1;
  while (!(await messages.next()).done) read++;
  expect(read).toBe(600);
  await expectIdle();
});

it("cancels on both sides when the caller aborts", async () => {
  const reasons: unknown[] = [];
  const client = await connect({
    async *down(_request, context) {
      context.signal.addEventListener("abort", () => reasons.push(context.signal.reason));
      for (let count = 0; ; count++) {
        yield note(count);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    once: (_request, { signal }) => orAbort(new Promise(() => undefined), signal),
  });
  const streaming = new AbortController();
  const read = async (): Promise<void> => {
    for await (const { count } of client.down(note(0), { signal: streaming.signal })) {
      if (count === 3) streaming.abort();
    }
  };
  await expect(read()).rejects.toMatchObject({ code: Code.Canceled });
  await expect.poll(() => reasons.length).toBe(1);
  const controller = new AbortController();
  const call = client.once(note(0), { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await expect(call).rejects.toMatchObject({ code: Code.Canceled });
  await expectIdle();
});

it("ends a call at its deadline", async () => {
  const client = await connect({ once: () => new Promise(() => {}) });
  await expect(client.once(note(0), { timeoutMs: 50 })).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  await expectIdle();
});

it("fails calls with unavailable when the link is lost, and unimplemented when nobody serves them", async () => {
  const client = await connect({ once: () => new Promise(() => {}) });
  await expect(client.down(note(0))[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: Code.Unimplemented });
  const other = createClient(LinkService, createLinkTransport({ link: (pair as LinkPair).agent }));
  await expect(other.hello({})).rejects.toMatchObject({ code: Code.Unimplemented });
  const lost = client.once(note(0));
  await pair?.agent.ping();
  pair?.hubSocket.terminate();
  await expect(lost).rejects.toMatchObject({ code: Code.Unavailable });
  await expect(client.once(note(0))).rejects.toMatchObject({ code: Code.Unavailable });
});

/** Polls until the value stops changing. */
async function waitUntilStill(read: () => number): Promise<void> {
  let last = -1;
  while (last !== read()) {
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function channel<T>(): AsyncIterable<T> & { push(value: T): void; close(): void } {
  const values: T[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  return {
    push(value) {
      values.push(value);
      wake?.();
    },
    close() {
      isClosed = true;
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        while (values.length > 0) yield values.shift() as T;
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
