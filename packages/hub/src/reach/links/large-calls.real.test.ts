// An agent says more in one typed call than any call may have: the call ends, and neither the link nor others notice.
import { type Link, resetCodes } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it.each([
  ["Report", "application/proto"],
  ["AppendLog", "application/json"],
])("100 MB in one %s end that call before they are all there", async (method, contentType) => {
  const cluster = `large-${method.toLowerCase()}`;
  const link = await dial(await enroll(cluster, harness, ["execute", "proxy"]), harness, answer("still here"));
  await sayHello(link, cluster);
  const { end, sentBytes } = await pour(link, { path: `/fairlead.commands.v1.CommandService/${method}`, contentType });

  expect(end).toMatch(/^(?:status [45]\d\d|reset \d+)$/);
  expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
  expect(link.state).toBe("up");
  const answered = await call(harness.hub.peopleUrl, `/k8s/clusters/${cluster}/api`, { headers: harness.admin });
  expect(answered.text).toBe("still here");
  link.close("done");
});

/** As fast as the hub gives credit. */
async function pour(
  link: Link,
  { path, contentType }: { readonly path: string; readonly contentType: string },
): Promise<{ readonly end: string; readonly sentBytes: number }> {
  const over = Promise.withResolvers<string>();
  let isOver = false;
  let sentBytes = 0;
  let writable = Promise.withResolvers<void>();
  const finish = (how: string): void => {
    isOver = true;
    over.resolve(how);
    writable.resolve();
  };
  const stream = link.openStream(
    {
      target: "rpc",
      method: "POST",
      path,
      headers: ["content-type", contentType],
      upgrade: false,
      requestId: "r",
      deadlineMs: 60_000,
    },
    {
      onHead: ({ status }) => finish(`status ${status}`),
      onData() {},
      onEnd: () => finish("ended"),
      onReset: (_error, code) => finish(`reset ${code}`),
      onWritable: () => writable.resolve(),
    },
  );
  const chunk = Buffer.alloc(256 * 1024, 0x20);
  while (!isOver && sentBytes < 100_000_000) {
    sentBytes += chunk.byteLength;
    writable = Promise.withResolvers();
    if (!stream.write(chunk) && !isOver) await writable.promise;
  }
  if (!isOver) stream.end();
  const end = await over.promise;
  stream.reset(resetCodes.cancelled);
  return { end, sentBytes };
}
