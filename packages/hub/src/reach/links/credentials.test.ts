// Connections that another hub passes on, whose settings may be others.
import { createLinkBudget } from "@fairlead/protocol";
import { expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { createLogger } from "../../platform/telemetry/index.ts";
import type { MeshIdentity } from "../mesh/index.ts";
import { createLinkRegistry } from "./registry.ts";
import { createLinkService } from "./service.ts";
import type { Credential } from "./types.ts";

const certificate: Credential = { kind: "certificate", der: Buffer.from("any") };
const byMesh: Credential = { kind: "mesh", identity: "spiffe://x/east", roles: ["proxy"] };

test("a hub of a mesh doesn't look at a certificate, whoever passes it on", async () => {
  const { service, authenticatePeer, judge } = open({ isMesh: true });
  const connection = { webSocket: {} as WebSocket, credential: certificate, remoteAddress: "192.0.2.1" };
  await expect(service.receivePassedOn(connection)).rejects.toMatchObject({ code: "LINK_CREDENTIAL_MISMATCH" });
  expect([authenticatePeer, judge].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});

test("a hub of certificates doesn't take a mesh's word, whoever passes it on", async () => {
  const { service, authenticatePeer } = open({ isMesh: false });
  const connection = { webSocket: {} as WebSocket, credential: byMesh, remoteAddress: "192.0.2.1" };
  await expect(service.receivePassedOn(connection)).rejects.toMatchObject({ code: "LINK_CREDENTIAL_MISMATCH" });
  expect(authenticatePeer).not.toHaveBeenCalled();
});

test("a mesh's word that is passed on is judged here once more", async () => {
  const { service, judge } = open({ isMesh: true });
  judge.mockRejectedValue(new Error("revoked since"));
  const connection = { webSocket: {} as WebSocket, credential: byMesh, remoteAddress: "192.0.2.1" };
  await expect(service.receivePassedOn(connection)).rejects.toThrow("revoked since");
  expect(judge).toHaveBeenCalledExactlyOnceWith(byMesh);
});

function open({ isMesh }: { readonly isMesh: boolean }) {
  const authenticatePeer = vi.fn();
  const judge = vi.fn<MeshIdentity["judge"]>();
  const nothing = (): never => {
    throw new Error("not expected");
  };
  const service = createLinkService({
    registry: createLinkRegistry(),
    identity: { authenticatePeer, renew: nothing, confirm: nothing, onRevoked: () => () => undefined },
    clusters: {
      recordHello: nothing,
      refusal: nothing,
      recordDisconnect: nothing,
      recordEvent: nothing,
      onReplaced: () => () => undefined,
    },
    mesh: isMesh ? { authenticate: nothing, judge } : undefined,
    hub: { hubInstanceId: "h", hubVersion: "1", protocolVersions: [1], capabilities: [] },
    budget: createLinkBudget({ totalBytes: 1_048_576 }),
    log: createLogger({ level: "silent", name: "test" }),
  });
  return { service, authenticatePeer, judge };
}
