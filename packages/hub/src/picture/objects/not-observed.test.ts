import { expect, test } from "vitest";
import { caller, setObjectsHarness } from "./objects-harness.fixture.ts";

test("changes of clusters alone that nobody observes aren't none: that is said", async () => {
  await using harness = await setObjectsHarness();
  harness.kindsOf.set("west", []);
  await harness.add("east", "pods", { name: "web", namespace: "shop" });
  const asking = { principal: caller("viewer", { clusters: ["east", "west"] }), nowMs: Date.now() };
  const asked = (query: object) => harness.objects.changes({ since: "2020-01-01T00:00:00Z", ...query }, asking);

  await expect(asked({ cluster: "west" })).rejects.toMatchObject({
    code: "OBJECTS_NOT_OBSERVED",
    httpStatus: 409,
    message: 'The hub has no copy of the cluster "west": no agent has reported objects yet.',
  });
  await expect(asked({ cluster: "west", kind: "pods" })).rejects.toMatchObject({ code: "OBJECTS_KIND_NOT_OBSERVED" });
  expect((await asked({})).items).toHaveLength(1);
});
