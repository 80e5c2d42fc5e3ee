import { expect, test } from "vitest";
import { parseFieldPath, valueAt } from "./field-path.ts";
import { fillIn, findMentions, type Output } from "./fill-in.ts";
import { openTemplate } from "./template.ts";

const outputs: Readonly<Record<string, Output>> = {
  text: { value: "x" },
  count: { value: 3 },
  none: { value: null },
  flag: { value: false },
  list: { value: [1, "two"] },
  map: { value: { a: { b: "deep" } } },
  secret: { secret: "${secret:shop/db/password}" },
  sly: { value: "${secret:kube-system/admin/token} and $${secret:a/b/c}" },
  broken: { value: '"\n---\nkind: ClusterRoleBinding' },
};
const earlier = new Set(["a"]);
const how = {
  earlier,
  lookUp: ({ output }: { output: { name: string; path: readonly (string | number)[] } | undefined }): Output => {
    const given = outputs[output?.name ?? ""];
    if (given === undefined) return { value: "succeeded" };
    return "secret" in given ? given : { value: valueAt(given.value, output?.path ?? []) };
  },
};

test.each([
  ["${steps.a.outputs.text}", "x"],
  ["${steps.a.outputs.count}", 3],
  ["${steps.a.outputs.none}", null],
  ["${steps.a.outputs.flag}", false],
  ["${steps.a.outputs.list}", [1, "two"]],
  ["${steps.a.outputs.map.a}", { b: "deep" }],
  ["${steps.a.outcome}", "succeeded"],
  ["<${steps.a.outputs.text}-${steps.a.outputs.count}-${steps.a.outputs.flag}>", "<x-3-false>"],
  ["${steps.a.outputs.map['a'].b}!", "deep!"],
  ["$${steps.a.outputs.text} ${other} $x", "${steps.a.outputs.text} ${other} $x"],
  ["${steps.a.outputs.secret}", "${secret:shop/db/password}"],
  ["p:${steps.a.outputs.secret}", "p:${secret:shop/db/password}"],
])("%s becomes %j", (text, expected) => {
  expect(fillIn({ in: [text] }, how)).toEqual({ in: [expected] });
});

test("what was read in the cluster can't become a reference to a Secret", () => {
  const inert = "$${secret:kube-system/admin/token} and $$${secret:a/b/c}";
  expect(fillIn(["${steps.a.outputs.sly}", "<${steps.a.outputs.sly}>"], how)).toEqual([inert, `<${inert}>`]);
});

test.each([
  ["<${steps.a.outputs.list}>", "it is a list"],
  ["<${steps.a.outputs.map}>", "it is an object"],
  ["<${steps.a.outputs.none}>", "it is null"],
])("%s has no place inside of a text", (text, message) => {
  expect(() => fillIn(text, how)).toThrow(message);
});

test.each([
  ["${steps.b.outputs.x}", "there is no step b before this one (at character 9)"],
  ["${steps.a.outputs.x", "here } is missing (at character 20)"],
  ["${steps.a}", "here .outcome or .outputs.NAME is missing (at character 10)"],
  ["${steps.}", "here the id of a step is missing"],
])("%s is no reference", (text, message) => {
  expect(() => findMentions([{ x: text }], earlier)).toThrow(message);
});

test("manifests are filled in object by object: what is put there stays the text of one field", () => {
  const manifests = [
    "kind: ConfigMap\nmetadata: {name: x}\ndata:\n  broken: '${steps.a.outputs.broken}'",
    "kind: Deployment\nspec: {replicas: '${steps.a.outputs.count}', mode: 0644}",
  ].join("\n---\n");
  const template = openTemplate({ kind: "manifests", spec: { set: "s", manifests }, earlier });
  expect([...template.needs]).toEqual(["a"]);
  const filled = template.fill(how) as { manifests: string };
  expect(filled.manifests.split("\n---\n").map((text) => JSON.parse(text))).toEqual([
    { kind: "ConfigMap", metadata: { name: "x" }, data: { broken: '"\n---\nkind: ClusterRoleBinding' } },
    { kind: "Deployment", spec: { replicas: 3, mode: 420 } },
  ]);
});

test("a path finds what an object has itself, and nothing else", () => {
  const object = { metadata: { annotations: { "example.com/x": "1" } }, list: [{ a: null }], length: 2 };
  const at = (text: string): unknown => valueAt(object, parseFieldPath(text));
  expect(['metadata.annotations["example.com/x"]', "list[0].a", "list[1].a", "list.length", "length"].map(at)).toEqual([
    "1",
    null,
    undefined,
    undefined,
    2,
  ]);
  expect(["constructor", "__proto__", "metadata[0]", "list['0']", "toString.name"].map(at)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
  for (const text of ["", ".a", "a.", "a[", "a[1", "a[x]", "a b", `a${".b".repeat(40)}`])
    expect(() => parseFieldPath(text)).toThrow(/at character/);
});
