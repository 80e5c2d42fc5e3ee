import { type Application, type Operation, withOperationId } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import { startOperation } from "./start-operation.ts";

const asked = { initiatedBy: { username: "admin" }, sync: { revision: "abc" } };
const metadata = { name: "web", namespace: "argocd", uid: "c1" };
const application: Application = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: {} };

describe("a sync that the hub hands over", () => {
  it("is put into the application with its id, which stays when somebody strips the metadata", () => {
    const begun = startOperation(syncOf("id-2"), application);
    if (begun.is !== "write") throw new Error("it isn't started");
    expect(begun.object.operation).toEqual(withOperationId(asked, "id-2"));
    const stripped = { ...begun.object, metadata };
    expect(startOperation(syncOf("id-2"), stripped)).toEqual(settled("repeated"));
    const { operation, ...rest } = stripped;
    const ended = { ...rest, status: { operationState: { phase: "Succeeded", operation } } } as Application;
    expect(startOperation(syncOf("id-2"), ended)).toEqual(settled("repeated"));
    expect(startOperation(syncOf("id-1"), ended)).toEqual(settled("superseded"));
    expect(startOperation(syncOf("id-3"), ended)).toMatchObject({ is: "write" });
  });

  it.each([
    ["", { sync: { revision: "def" } }],
    [" of the same content", withOperationId(asked, "id-1")],
    [" of the same content that the cluster began itself", asked],
  ])("waits for another one%s that runs", (_, operation) => {
    const busy = { outcome: { outcome: "refused", retryAfterMs: 1_000 } };
    expect(startOperation(syncOf("id-2"), { ...application, operation })).toMatchObject(busy);
  });

  it("keeps what else its info says", () => {
    const info = [{ name: "Reason", value: "release" }];
    const begun = startOperation(syncOf("id-2", { ...asked, info }), application);
    const expected = [...info, { name: "fairlead.dev/operation-id", value: "id-2" }];
    expect(begun).toMatchObject({ object: { operation: { info: expected } } });
  });
});

function syncOf(id: string, content: object = asked): Operation {
  return { id, uid: "u1", name: "east/web", action: "sync", contentJson: Buffer.from(JSON.stringify(content)) };
}

function settled(outcome: string): object {
  return { is: "settled", outcome: { outcome } };
}
