// Resource trees of a cluster whose agent another hub has: the one kind of typed calls that hubs pass on.
import { Code, createClient } from "@connectrpc/connect";
import {
  CachedPart,
  createLinkTransport,
  createRpcAcceptor,
  type Link,
  RenewalService,
  ResourceTreeService,
  type Role,
} from "@fairlead/protocol";
import { expect, it } from "vitest";
import { openHubLink } from "./hub-link.fixture.ts";
import { createRelay } from "./relay.ts";

it("passes questions about resource trees on to an agent with the role gitops, with their answers", async () => {
  await using harness = await openRelayed(["proxy", "gitops"]);
  const answers = createClient(ResourceTreeService, createLinkTransport({ link: harness.link })).read({ application });
  const pieces = [];
  for await (const { data } of answers) pieces.push(Buffer.from(data).toString());
  expect(pieces).toEqual(["of ", "web"]);
});

it("passes no other typed calls on, and none to an agent without that role", async () => {
  await using harness = await openRelayed(["gitops"]);
  const others = createClient(RenewalService, createLinkTransport({ link: harness.link }));
  await expect(others.renewSoon({ withinMs: 1_000 })).rejects.toMatchObject({ code: Code.Unimplemented });
  await using without = await openRelayed(["proxy"]);
  const trees = createClient(ResourceTreeService, createLinkTransport({ link: without.link }));
  await expect(trees.read({ application })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: Code.Unavailable,
  });
});

/** The link to a hub that holds the link of an agent of east. */
async function openRelayed(
  roles: readonly Role[],
): Promise<AsyncDisposable & { readonly link: Pick<Link, "openStream"> }> {
  await using undo = new AsyncDisposableStack();
  const accept = createRpcAcceptor({
    routes: (router) => {
      router.service(RenewalService, { renewSoon: () => ({}) });
      router.service(ResourceTreeService, {
        async *read({ application: asked }) {
          yield { data: Buffer.from("of ") };
          yield { data: Buffer.from(asked?.name ?? "") };
        },
      });
    },
  });
  const agent = undo.use(await openHubLink({ accept }));
  const record = { link: agent.here, roles, refusal: undefined, isDraining: false };
  const registry = { own: (cluster: string) => (cluster === "east" ? [record] : []) } as unknown as Parameters<
    typeof createRelay
  >[0]["registry"];
  const counters = { active: 0, total: 0 };
  const hubs = undo.use(await openHubLink({ accept: createRelay({ registry, counters }) }));
  const owned = undo.move();
  return {
    link: { openStream: (open, handlers) => hubs.here.openStream({ ...open, cluster: "east" }, handlers) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const application = { namespace: "", name: "web", part: CachedPart.RESOURCES_TREE, cacheVersion: "1.8.3" };
