import type { DeclaredResources } from "@fairlead/contract";
import { describe, expect, it, test } from "vitest";
import { readResources } from "./declaration.ts";
import { destroySpecOf, type StackKinds, stackKinds } from "./kinds.ts";
import { type KnownResource, planSteps } from "./plan-steps.ts";
import { replaceReferences } from "./references.ts";

/** Each gives outputs out, but for those whose name begins with `mute`. */
const kinds: StackKinds = {
  manifests: {
    isDeclaring: ({ force }) => !force,
    destroySpecOf: ({ set }) => ({ set, manifests: "gone" }),
    outputsSecretOf: ({ set }) => (set.startsWith("mute") ? undefined : { namespace: "ns", name: `${set}-out` }),
  },
};
const one = (set: string, more: { cluster?: string; dependsOn?: string[]; manifests?: string } = {}) => ({
  cluster: more.cluster ?? "east",
  kind: "manifests" as const,
  dependsOn: more.dependsOn,
  spec: { set, manifests: more.manifests ?? "" },
});
const read = (resources: DeclaredResources) => readResources(resources, kinds);
const uses = (...names: string[]) => names.map((name) => `$\{resources.${name}.outputs.key}`).join(" ");

describe("a declaration", () => {
  it("is in the order of what comes before what, said or by references, which become those of Secrets", () => {
    const resources = read({
      web: one("web", { dependsOn: ["job", "db"], manifests: `a: ${uses("db")}` }),
      job: one("job", { manifests: uses("db", "net") }),
      net: one("net"),
      db: one("db", { dependsOn: ["net"] }),
    });
    expect(resources.map(({ name, dependsOn }) => [name, dependsOn])).toEqual([
      ["net", []] as const,
      ["db", ["net"]] as const,
      ["job", ["db", "net"]] as const,
      ["web", ["job", "db"]],
    ]);
    expect(JSON.parse(resources.at(-1)?.spec ?? "")).toEqual({ set: "web", manifests: `a: $\{secret:ns/db-out/key}` });
    expect(resources.at(-1)).toMatchObject({ uses: ["db"], target: "manifests/default/web" });
  });

  test.each<[what: string, resources: DeclaredResources, code: string, said: string]>([
    [
      "a name that isn't there",
      { a: one("a", { dependsOn: ["b"] }) },
      "STACK_RESOURCE_UNKNOWN",
      "resources.a.dependsOn[0]",
    ],
    [
      "a reference to nothing",
      { a: one("a", { manifests: uses("b") }) },
      "STACK_RESOURCE_UNKNOWN",
      "resources.a.spec.manifests",
    ],
    [
      "a name that objects have",
      { a: one("a", { dependsOn: ["constructor"] }) },
      "STACK_RESOURCE_UNKNOWN",
      "constructor",
    ],
    ["itself", { a: one("a", { dependsOn: ["a"] }) }, "STACK_CYCLE", "a → a"],
    [
      "a circle",
      { a: one("a", { dependsOn: ["b"] }), b: one("b", { manifests: uses("c") }), c: one("c", { dependsOn: ["a"] }) },
      ...(["STACK_CYCLE", "a → b → c → a"] as const),
    ],
    [
      "no outputs",
      { mute: one("mute"), b: one("b", { manifests: uses("mute") }) },
      "STACK_OUTPUTS_MISSING",
      "resources.b.spec",
    ],
    [
      "outputs in another cluster",
      { a: one("a", { cluster: "west" }), b: one("b", { manifests: uses("a") }) },
      ...(["STACK_OUTPUTS_ELSEWHERE", 'in cluster "west"'] as const),
    ],
    [
      "half a reference",
      { a: one("a", { manifests: "${resources.a.outputs.k" }) },
      "STACK_REFERENCE_INVALID",
      "spec.manifests",
    ],
    [
      "another reference",
      { a: one("a", { manifests: "${resources.a.spec}" }) },
      "STACK_REFERENCE_INVALID",
      "spec.manifests",
    ],
    ["the same thing twice", { a: one("same"), b: one("same") }, "STACK_TARGET_TWICE", "manifests/default/same"],
    ["too much text", { a: one("a", { manifests: "#".repeat(4_194_305) }) }, "STACK_TOO_LARGE", "bytes"],
    [
      "too many references",
      { a: one("a"), b: one("b", { manifests: uses(...Array<string>(1_001).fill("a")) }) },
      ...(["STACK_TOO_LARGE", "references"] as const),
    ],
  ])("with %s is refused, and where is said", (_what, resources, code, said) => {
    const problem = expect.objectContaining({ code, message: expect.stringContaining(said) });
    expect(() => read(resources)).toThrow(problem);
  });

  it("with a kind that has no way to be destroyed is refused", () => {
    const code = "STACK_KIND_UNFIT";
    expect(() => readResources({ a: one("a") }, {})).toThrow(expect.objectContaining({ code }));
  });
});

describe("references", () => {
  const reader = {
    replace: ({ name, key, place }: { name: string; key: string; place: string }) => `<${name} ${key} ${place}>`,
    onInvalid(place: string): never {
      throw new Error(`invalid ${place}`);
    },
    onTooDeep(place: string): never {
      throw new Error(`too deep ${place}`);
    },
  };

  it("are found in all texts, but for names of members, with their places", () => {
    const value = { list: [1, null, { text: "a ${resources.db.outputs.k.x}!" }], "${resources.x}": true };
    expect(replaceReferences(value, "spec", reader)).toEqual({
      list: [1, null, { text: "a <db k.x spec.list[2].text>!" }],
      "${resources.x}": true,
    });
  });

  test.each([
    ["$${resources.db.outputs.k}", "${resources.db.outputs.k}"],
    ["$$${resources.", "$${resources."],
    ["${secret:a/b/c} ${other} $resources", "${secret:a/b/c} ${other} $resources"],
    ["${resources.a.outputs.b}${resources.a.outputs.c}", "<a b s><a c s>"],
  ])("%s is %s", (text, expected) => {
    expect(replaceReferences(text, "s", reader)).toBe(expected);
  });

  it("end at a bound of depth", () => {
    const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000)) as unknown;
    expect(() => replaceReferences(deep, "s", reader)).toThrow("too deep");
  });
});

describe("the steps of a run", () => {
  const known = (name: string, dependsOn: string[] = [], more: Partial<KnownResource> = {}): KnownResource => ({
    name,
    cluster: "east",
    kind: "manifests",
    namespace: "default",
    target: `manifests/default/${name}`,
    spec: JSON.stringify({ set: name, manifests: "" }),
    isThere: true,
    dependsOn: dependsOn.map((other) => `east manifests/default/${other}`),
    ...more,
  });
  const plan = (action: "plan" | "apply" | "destroy", declared: DeclaredResources, there: KnownResource[] = []) =>
    planSteps({ action, declared: read(declared), known: there, kinds }).map(
      ({ place, action: what, name, cluster, after, waitsFor }) =>
        `${place} ${what} ${name} ${cluster} (${after.join()})${waitsFor ? ` later: ${waitsFor}` : ""}`,
    );

  it("apply what is declared, then destroy the rest from its users on", () => {
    const there = [known("a"), known("b", ["a"]), known("c", ["b", "a"]), known("d", ["c"])];
    expect(plan("apply", { d: one("d"), e: one("e", { dependsOn: ["d"] }) }, there)).toEqual([
      "1 apply d east ()",
      "2 apply e east (1)",
      "3 destroy c east (1)",
      "4 destroy b east (3)",
      "5 destroy a east (4,3)",
    ]);
  });

  it("destroy at the old place what is at a new one, after what used it there", () => {
    const there = [known("a"), known("b", ["a"])];
    const declared = { a: one("a", { cluster: "west" }), b: one("b", { dependsOn: ["a"] }) };
    expect(plan("apply", declared, there)).toEqual([
      "1 apply a west ()",
      "2 apply b east (1)",
      "3 destroy a east (2,1)",
    ]);
  });

  it("destroy everything from its users on", () => {
    expect(plan("destroy", {}, [known("a"), known("b", ["a"]), known("c")])).toEqual([
      "1 destroy b east ()",
      "2 destroy a east (1)",
      "3 destroy c east ()",
    ]);
  });

  it("of a plan come in no order, and wait for none whose outputs are there", () => {
    const declared = { a: one("a"), b: one("b", { manifests: uses("a") }) };
    expect(plan("plan", declared, [known("x")])).toEqual([
      "1 apply a east ()",
      "2 apply b east () later: a",
      "3 destroy x east ()",
    ]);
    expect(plan("plan", declared, [known("a")])[1]).toBe("2 apply b east ()");
    expect(plan("plan", declared, [known("a", [], { isThere: false })])[1]).toContain("later");
  });
});

test("a release is destroyed by uninstalling it, and only what installs one is a resource", () => {
  const spec = { release: "web", namespace: "shop", chart: { files: {} }, values: {}, wait: false, atomic: true };
  expect(destroySpecOf(stackKinds, "helm", spec)).toEqual({
    release: "web",
    namespace: "shop",
    action: "uninstall",
    wait: false,
  });
  const resources = {
    web: { cluster: "east", kind: "helm" as const, spec: { release: "web", action: "test" as const } },
  };
  const code = "STACK_ACTION_UNFIT";
  expect(() => readResources(resources, stackKinds)).toThrow(expect.objectContaining({ code }));
});

test("a set is destroyed by an empty one that takes all of it away", () => {
  const spec = { set: "web", namespace: "shop", manifests: "kind: A", force: true, wait: false, createNamespace: true };
  expect(destroySpecOf(stackKinds, "manifests", spec)).toEqual({
    set: "web",
    namespace: "shop",
    manifests: "",
    prune: true,
    allowEmpty: true,
    wait: false,
  });
});
