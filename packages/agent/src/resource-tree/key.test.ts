import { CachedPart } from "@fairlead/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { resourceTreeErrors } from "./errors.ts";
import { channelOf, clusterInfoKeyOf, keyOf } from "./key.ts";

const argo = { namespace: "argocd", applicationNamespaces: ["team-a"] };
const { RESOURCES_TREE, MANAGED_RESOURCES } = CachedPart;

test("keys and channels are those of Argo CD", () => {
  expect(read({})).toBe("app|resources-tree|web|1.8.3.gz");
  expect(read({ namespace: "argocd" })).toBe("app|resources-tree|web|1.8.3.gz");
  expect(read({ namespace: "team-a" })).toBe("app|resources-tree|team-a_web|1.8.3.gz");
  expect(read({ part: MANAGED_RESOURCES }, { isCompressed: false })).toBe("app|managed-resources|web|1.8.3");
  expect(read({}, { shard: 3 })).toBe("app|resources-tree|web|3|1.8.3.gz");
  expect(channelOf(application({ part: MANAGED_RESOURCES }), argo)).toBe("app|managed-resources|web|1.8.3");
  expect(clusterInfoKeyOf({ cacheVersion: "1.8.3", isCompressed: true })).toBe(
    "cluster|info|https://kubernetes.default.svc|1.8.3.gz",
  );
  expect(clusterInfoKeyOf({ cacheVersion: "1.8.3", isCompressed: false })).toMatch(/\.svc\|1\.8\.3$/);
});

test("the info of no other cluster can be named", () => {
  for (const cacheVersion of ["1.8.3|x", "", "1.8.3.gz", "*"])
    expect(() => clusterInfoKeyOf({ cacheVersion, isCompressed: false })).toThrow("the version");
});

test.each([
  ["a namespace that isn't Argo CD's", { namespace: "kube-system" }, "RESOURCE_TREE_NAMESPACE_REFUSED"],
  ["a namespace in the name", { name: "kube-system_web" }, "RESOURCE_TREE_REQUEST_INVALID"],
  ["another key in the name", { name: "web|1.8.3" }, "RESOURCE_TREE_REQUEST_INVALID"],
  ["a pattern", { name: "*" }, "RESOURCE_TREE_REQUEST_INVALID"],
  ["no name", { name: "" }, "RESOURCE_TREE_REQUEST_INVALID"],
  ["another part", { part: 7 as CachedPart }, "RESOURCE_TREE_REQUEST_INVALID"],
  ["no part", { part: CachedPart.UNSPECIFIED }, "RESOURCE_TREE_REQUEST_INVALID"],
  ["an ending in the version", { cacheVersion: "1.8.3.gz" }, "RESOURCE_TREE_REQUEST_INVALID"],
  ["a key in the version", { cacheVersion: "1|2" }, "RESOURCE_TREE_REQUEST_INVALID"],
] as const)("%s is refused", (_, wrong, code) => {
  expect(() => read(wrong)).toThrow(expect.objectContaining({ code }));
  expect(() => channelOf(application(wrong), argo)).toThrow(expect.objectContaining({ code }));
});

test("a shard of what has none is refused", () => {
  expect(() => read({ part: MANAGED_RESOURCES }, { shard: 1 })).toThrow("the shard");
});

test("no key but those of the two kinds can be named, whatever the hub sends", () => {
  const text = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom("", "argocd", "team-a", "web", "1.8.3"));
  fc.assert(
    fc.property(
      fc.record({ namespace: text, name: text, part: fc.integer({ min: -1, max: 5 }), cacheVersion: text }),
      fc.integer({ min: 0, max: 20_000 }),
      fc.boolean(),
      (parts, shard, isCompressed) => {
        try {
          const request = { application: application(parts as Parts), shard, isCompressed };
          expect(keyOf(request, argo)).toMatch(
            /^app\|(?:resources-tree|managed-resources)\|(?:team-a_)?[a-z0-9.-]+(?:\|\d+)?\|[0-9A-Za-z.-]+$/,
          );
        } catch (error) {
          expect(resourceTreeErrors.is(error)).toBe(true);
        }
      },
    ),
  );
});

type Parts = Partial<{ namespace: string; name: string; part: CachedPart; cacheVersion: string }>;

function read(parts: Parts, { shard = 0, isCompressed = true } = {}): string {
  return keyOf({ application: application(parts), shard, isCompressed }, argo);
}

function application(parts: Parts) {
  return {
    $typeName: "fairlead.gitops.v1.CachedApplication" as const,
    namespace: "",
    name: "web",
    part: RESOURCES_TREE,
    cacheVersion: "1.8.3",
    ...parts,
  };
}
