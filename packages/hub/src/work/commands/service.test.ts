import type { CreateCommandRequest } from "@fairlead/contract";
import { expect, test } from "vitest";
import type { Principal } from "../../people/access/index.ts";
import { createCommands } from "./service.ts";

test("who asks for a flow needs the rights on what its steps are", async () => {
  const denied = new Error("no");
  const asked: string[] = [];
  const commands = createCommands({
    rights: {
      requireAsk(_principal: unknown, { kind }: { kind: string }) {
        asked.push(kind);
        if (kind === "manifests") throw denied;
      },
      may: () => true,
    },
    templates: { fill: async (_principal: unknown, request: object) => request },
    access: { partyOf: () => [] },
    queue: { findEarlier: () => Promise.reject(new Error("it is taken")) },
  } as unknown as Parameters<typeof createCommands>[0]);
  const create = (steps: object[]) =>
    commands.create(
      { name: "ann", uid: "u" } as Principal,
      {
        cluster: "east",
        kind: "flow",
        spec: { name: "f", steps },
      } as unknown as CreateCommandRequest,
    );
  const wait = { apiVersion: "v1", kind: "Pod", name: "x", until: "ready" };
  await expect(
    create([
      { id: "a", wait },
      { id: "b", manifests: {} },
    ]),
  ).rejects.toBe(denied);
  expect(asked).toEqual(["flow", "manifests"]);
  await expect(create([{ id: "a", wait }])).rejects.toThrow("it is taken");
});
