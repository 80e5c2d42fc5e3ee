import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { HelloResponseSchema, LinkService } from "../index.ts";
import { openLinkPair } from "../link/link-pair.fixture.ts";
import { createRpcAcceptor } from "./acceptor.ts";
import { createLinkTransport } from "./transport.ts";

it("answers a typed call", async () => {
  const accept = createRpcAcceptor({
    routes: (router) =>
      router.service(LinkService, { hello: (request) => ({ cluster: request.cluster, hubVersion: "1" }) }),
  });
  await using pair = await openLinkPair({ acceptOnHub: accept });
  const client = createClient(LinkService, createLinkTransport({ link: pair.agent }));
  const answer = await client.hello({ cluster: "east", sentAtMs: 5n });
  expect(answer).toMatchObject({ cluster: "east", hubVersion: "1" });
  expect(create(HelloResponseSchema).cluster).toBe("");
});

it("brings the error of the implementation to the caller", async () => {
  const accept = createRpcAcceptor({
    routes: (router) =>
      router.service(LinkService, {
        hello: () => {
          throw new ConnectError("no such cluster", Code.NotFound);
        },
      }),
  });
  await using pair = await openLinkPair({ acceptOnHub: accept });
  const client = createClient(LinkService, createLinkTransport({ link: pair.agent }));
  await expect(client.hello({})).rejects.toMatchObject({ code: Code.NotFound, rawMessage: "no such cluster" });
});
