// JSONPath against the real ones: stock kubectl's `-o jsonpath=`, and the cells that an API server makes of a CRD's printer
// columns.
import { randomBytes } from "node:crypto";
import { isRawNumber, parseExactJson } from "@fairlead/kernel";
import { evaluateTemplate, JsonPathProblem, parseTemplate } from "@fairlead/kernel/json-path";
import { waitUntil } from "@fairlead/kernel/testing";
import { createKubeClient, Fields, loadKubeconfig } from "@fairlead/kube";
import { type ClusterAccess, createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCustomPrinter } from "./custom.ts";

const end = "\\n==\\n";

const spec = `{
  "list": [10, 20, 30, 40, 50], "empty": [], "none": null, "text": "<a>&", "big": 9007199254740993, "min": -9223372036854775808,
  "half": 2.5, "tiny": 0.00001, "large": 1234567.5, "flag": true, "when": "2026-01-01T00:00:00Z",
  "conditions": [
    { "type": "Created", "status": "True", "weight": 1 },
    { "type": "Ready", "status": "False", "weight": 2.5, "why": { "code": 7 } },
    { "type": "Done", "status": "True", "reason": "All", "big": 9007199254740993 }
  ],
  "pools": [{ "name": "a", "sizes": [1, 2, 3] }, { "name": "b", "sizes": [4] }],
  "map": { "x.y/z": "dotted", "b": 1, "a": [true], "big": 9007199254740993 },
  "deep": { "name": "one", "inner": { "name": "two" } }
}`;

const templates = [
  "{.kind}",
  "{$.kind}",
  "{@.kind}",
  "{.metadata.labels.app\\.kubernetes\\.io/name}",
  "{.metadata.labels['app\\.kubernetes\\.io/name']}",
  "{.metadata['name','absent']}",
  "{.spec.list}",
  "{.spec.list[*]}",
  "{.spec.list[0]} and {.spec.list[-1]}",
  "{.spec.list[-2:]}",
  "{.spec.list[1:3]}",
  "{.spec.list[:2]}",
  "{.spec.list[::2]}",
  "{.spec.list[1:5:3]}",
  "{.spec.list[0:0]}",
  "{.spec.list[3,0]}",
  "{.spec.list[?(@>20)]}",
  "{.spec.list[?(@==30)]}",
  "{.spec.empty}{.spec.empty[*]}",
  "{.spec.absent.at.all}",
  "{.spec.text}",
  "{.spec.big} {.spec.min}",
  "{.spec.half} {.spec.tiny} {.spec.large} {.spec.flag}",
  "{.spec.map}",
  "{.spec.map.x\\.y/z}",
  "{.spec.map['x\\.y/z']}",
  "{.spec['text','half']}",
  '{.spec.conditions[?(@.type=="Ready")].status}',
  "{.spec.conditions[?(@.type=='Ready')]['status','type']}",
  "{.spec.conditions[?(@.type!='Created')].type}",
  "{.spec.conditions[?(@.reason)].type}",
  "{.spec.conditions[?(@.why.code>=7)].type}",
  "{.spec.conditions[?(@.big==9007199254740993)].type}",
  "{.spec.conditions[?(@.big>9007199254740992)].type}",
  "{.spec.conditions[?(@.why)].why.code}",
  "{.spec.conditions[*].weight}",
  "{.spec.conditions[1]}",
  "{.spec.pools[*].sizes[0]}",
  "{.spec.pools[*].sizes[*]}",
  "{.spec.pools[*]['name', 'sizes']}",
  "{.spec.deep.inner.*}",
  "{.spec.deep..name}",
  "{..sizes}",
  '{range .spec.pools[*]}{.name}{"\\t"}{range .sizes[*]}{@},{end}{"\\n"}{end}',
  "{range .spec.conditions[?(@.status=='True')]}[{.type}]{end}",
  "text {.kind}",
  '{"quoted\\ttext"} {"\\u0041"} {5} {true} {-2.5}',
] as const;

const refused = [
  "{.spec.list[9]}",
  "{.spec.list[-9]}",
  "{.spec.text[0]}",
  "{.spec.conditions[?(@.type==1)].type}",
  "{.spec.map[?(@=='dotted')]}",
  "{.spec.list[0:3:0]}",
  "{.spec.list[",
  "{.spec.list[x]}",
];

/** A column's path begins with a dot: the API server takes no other. */
const paths = [
  ".metadata.name",
  ".spec.list",
  ".spec.list[*]",
  ".spec.list[0]",
  ".spec.list[-1]",
  ".spec.list[-1:]",
  ".spec.list[1:3]",
  ".spec.list[::2]",
  ".spec.list[3,0]",
  ".spec.list[9]",
  ".spec.list[-9]",
  ".spec.list[0:0]",
  ".spec.list[0:9]",
  ".spec.list[3:1]",
  ".spec.list[0:3:0]",
  ".spec.list[?(@>20)]",
  ".spec.empty",
  ".spec.empty[*]",
  ".spec.empty[0]",
  ".spec.none",
  ".spec.none[0]",
  ".spec.text",
  ".spec.text[0]",
  ".spec.big",
  ".spec.min",
  ".spec.half",
  ".spec.tiny",
  ".spec.large",
  ".spec.flag",
  ".spec.map",
  ".spec.map.x\\.y/z",
  ".spec.map['x\\.y/z']",
  ".spec.map['x.y/z']",
  ".spec.map[?(@=='dotted')]",
  ".spec.deep",
  ".spec.deep.inner.*",
  ".spec.deep..name",
  ".spec['text','half']",
  ".spec.absent",
  ".spec.absent.at.all",
  ".spec.absent[0].name",
  ".spec.absent[*].name",
  '.spec.conditions[?(@.type=="Ready")].status',
  ".spec.conditions[?(@.type=='Ready')].status",
  ".spec.conditions[?(.type=='Ready')].status",
  ".spec.conditions[?(@.type!='Created')].type",
  ".spec.conditions[?(@.type=='None')].status",
  ".spec.conditions[?(@.reason)].type",
  ".spec.conditions[?(@.why.code==7)].type",
  ".spec.conditions[?(@.weight==1)].type",
  ".spec.conditions[?(@.weight>1)].type",
  ".spec.conditions[?(@.type==1)].type",
  ".spec.conditions[?(@.big==9007199254740993)].type",
  ".spec.conditions[?(@.big==9007199254740992)].type",
  ".spec.conditions[1]",
  ".spec.conditions[*].why.code",
  ".spec.pools[*].sizes[0]",
  ".spec.pools[*].sizes[2]",
  ".spec.pools[*]['sizes','name']",
  ".spec.pools[*]['absent','name']",
  "..sizes",
  "..absent",
];

const typedPaths = [
  ["integer", ".spec.big"],
  ["integer", ".spec.min"],
  ["integer", ".spec.list[0]"],
  ["integer", ".spec.half"],
  ["integer", ".spec.text"],
  ["integer", ".metadata.generation"],
  ["number", ".spec.half"],
  ["number", ".spec.tiny"],
  ["number", ".spec.list[1]"],
  ["number", ".spec.text"],
  ["boolean", ".spec.flag"],
  ["boolean", ".spec.text"],
] as const;

const group = `paths-${randomBytes(4).toString("hex")}.example.com`;
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
let cluster: ClusterAccess;
let namespace: TestNamespace;

beforeAll(async () => {
  cluster = await sharedCluster();
  namespace = await createNamespace(cluster);
  await cluster.api.json({ method: "POST", path: crds, body: definition() });
  const path = `/apis/${group}/v1/namespaces/${namespace.name}/samples`;
  expect(await waitUntil(async () => (await cluster.api.send({ path })).status === 200, { timeoutMs: 60_000 })).toBe(
    true,
  );
  const metadata = { name: "one", labels: { "app.kubernetes.io/name": "web" } };
  const body = { apiVersion: `${group}/v1`, kind: "Sample", metadata, spec: parseExactJson(spec) };
  await cluster.api.json({ method: "POST", path, body });
}, 180_000);

afterAll(async () => {
  await cluster?.api.send({ method: "DELETE", path: `${crds}/samples.${group}` });
  await namespace?.[Symbol.asyncDispose]();
});

test("each template prints what stock kubectl prints", async () => {
  const { stdout: json } = await kubectl("json");
  const document = parseExactJson(json);
  const all = templates.map((template) => `${template}{"${end}"}`).join("");
  const printed = (await kubectl(`jsonpath=${all}`)).stdout.split(end.replaceAll("\\n", "\n"));
  const ours = templates.map((template) => evaluateTemplate(parseTemplate(template), document));

  expect(zip(templates, ours)).toEqual(zip(templates, printed));
});

test.each(refused)("%s is an error in kubectl, and prints nothing here", async (template) => {
  const { code } = await kubectl(`jsonpath=${template}`, { allowFailure: true });
  expect(code).not.toBe(0);
  const document = parseExactJson((await kubectl("json")).stdout);
  expect(printOrRefuse(template, document)).toBe("");
});

test("each printer column has the API server's cell, also where it can't be computed", async () => {
  const access = await loadKubeconfig({ path: cluster.adminKubeconfig });
  await using client = createKubeClient({ access, numbers: "exact" });
  const table = await client.request<Table>({
    path: `/apis/${group}/v1/namespaces/${namespace.name}/samples?includeObject=Object`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  const [row] = table.rows;
  const all = columns();
  // The hub keeps fewer columns of a kind than this test has.
  const chunks = Array.from({ length: Math.ceil(all.length / 24) }, (_, at) => all.slice(24 * at, 24 * at + 24));
  const ours = chunks.flatMap((chunk) => createCustomPrinter(chunk)?.cells(new Fields(row?.object), 0).slice(1) ?? []);

  expect(table.columnDefinitions.slice(1).map(({ name }) => name)).toEqual(all.map(({ name }) => name));
  const titles = all.map(({ type, jsonPath }) => `${type} ${jsonPath}`);
  expect(zip(titles, ours)).toEqual(zip(titles, row?.cells.slice(1).map(toOurs) ?? []));
});

interface Table {
  readonly columnDefinitions: { name: string }[];
  readonly rows: { readonly cells: unknown[]; readonly object: unknown }[];
}

function kubectl(format: string, options: { readonly allowFailure?: boolean } = {}) {
  return cluster.kubectl(["-n", namespace.name, "get", `samples.${group}`, "one", "-o", format], options);
}

function printOrRefuse(template: string, document: unknown): string {
  try {
    return evaluateTemplate(parseTemplate(template), document);
  } catch (error) {
    if (error instanceof JsonPathProblem) return "";
    throw error;
  }
}

/** Numbers that JavaScript has no room for are texts here. */
function toOurs(cell: unknown): unknown {
  return isRawNumber(cell) ? cell.rawJSON : cell;
}

function zip(titles: readonly string[], values: readonly unknown[]): [string, unknown][] {
  return titles.map((title, index) => [title, values[index]]);
}

function columns(): { name: string; type: string; jsonPath: string }[] {
  const typed = paths.map((jsonPath) => ({ type: "string", jsonPath }));
  return [...typed, ...typedPaths.map(([type, jsonPath]) => ({ type, jsonPath }))].map((column, index) => ({
    name: `C${index}`,
    ...column,
  }));
}

function definition(): object {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `samples.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "samples", singular: "sample", kind: "Sample" },
      versions: [{ ...version, additionalPrinterColumns: columns() }],
    },
  };
}
