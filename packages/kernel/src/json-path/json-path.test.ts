import { expect, test } from "vitest";
import { evaluateTemplate, findAlong, JsonPathProblem, parsePath, parseTemplate } from "./index.ts";

const document = {
  kind: "List",
  items: [
    {
      metadata: { name: "web-0", labels: { "app.kubernetes.io/name": "web" } },
      status: { phase: "Running", restarts: 2 },
    },
    { metadata: { name: "web-1", labels: {} }, status: { phase: "Pending", restarts: 0, ready: false } },
    { metadata: { name: "db-0" }, status: { phase: "Running", restarts: 7, ready: true } },
  ],
};

test.each([
  ["{.kind}", "List"],
  [".kind", "List"],
  ["{$.kind}", "List"],
  ["{.items[*].metadata.name}", "web-0 web-1 db-0"],
  ["{.items[0].metadata.name} and {.items[-1].metadata.name}", "web-0 and db-0"],
  ["{.items[0:2].metadata.name}", "web-0 web-1"],
  ["{.items[::2].metadata.name}", "web-0 db-0"],
  ["{.items[0,2].metadata.name}", "web-0 db-0"],
  ["{.items[0].metadata['name','labels']}", 'web-0 {"app.kubernetes.io/name":"web"}'],
  ["{.items[0].metadata.labels.app\\.kubernetes\\.io/name}", "web"],
  ["{.items[0].metadata.labels['app.kubernetes.io/name']}", "web"],
  ['{.items[?(@.status.phase=="Running")].metadata.name}', "web-0 db-0"],
  ["{.items[?(@.status.phase != 'Running')].metadata.name}", "web-1"],
  ["{.items[?(@.status.restarts > 1)].metadata.name}", "web-0 db-0"],
  ["{.items[?(@.status.restarts<=2)].metadata.name}", "web-0 web-1"],
  ["{.items[?(@.status.ready==true)].metadata.name}", "db-0"],
  ["{.items[?(@.status.ready)].metadata.name}", "web-1 db-0"],
  ["{..phase}", "Running Pending Running"],
  ["{.items[1].status}", '{"phase":"Pending","restarts":0,"ready":false}'],
  ["{.items[1].status.*}", "Pending 0 false"],
  ["{.nothing.at.all}{.items[9]}{.kind.length}", ""],
  [
    '{range .items[*]}{.metadata.name}{"\\t"}{@.status.phase}{"\\n"}{end}',
    "web-0\tRunning\nweb-1\tPending\ndb-0\tRunning\n",
  ],
  ["{range .items[0:1]}{range .metadata.labels.*}{@} of {$.kind}{end}{end}!", "web of List!"],
  ["no query {'at all'}", "no query at all"],
])("%s gives %j", (template, text) => {
  expect(evaluateTemplate(parseTemplate(template), document)).toBe(text);
});

test.each([
  ["{.items[*}", "instead of ']'"],
  ["{range .items[*]}{.a}", "no {end}"],
  ["{.a}{end}", "without its {range}"],
  ["{.items[?(@.a==)]}", "wasn't expected"],
  ["{.a", "its end"],
  ["{.a[x]}", "'x]}' wasn't expected"],
  ["{.a[-]}", "'-]}' wasn't expected"],
  [".)", "')}' wasn't expected"],
  ["{.", "its end wasn't expected"],
  ["{.=}", "'=}' wasn't expected"],
  [".[?(.[?(".repeat(50), "nested too deeply"],
  ["{range .a}".repeat(50), "nested too deeply"],
])("%s is refused: %s", (template, why) => {
  expect(() => parseTemplate(template)).toThrow(JsonPathProblem);
  expect(() => parseTemplate(template)).toThrow(why);
});

const pod = {
  kind: "Pod",
  metadata: {
    name: "web",
    labels: { "app.kubernetes.io/name": "web", tier: "front" },
    annotations: { "{": "brace" },
  },
  spec: {
    priority: 7,
    containers: [
      { name: "a", image: "x:1", ports: [{ containerPort: 80 }, { containerPort: 8080 }] },
      { name: "b", image: "y:2", stdin: true },
      { name: "c", image: "x:3", env: [{ name: "K", value: "v" }] },
    ],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Initialized", status: "False" },
    ],
  },
};

// What `kubectl label --local -f pod.json -o jsonpath=…` printed (1.32).
test.each([
  ["{.kind}", "Pod"],
  ["{$.kind}", "Pod"],
  ["{.spec.containers[*].name}", "a b c"],
  ["{.spec.containers[0].name} and {.spec.containers[-1].name}", "a and c"],
  ["{.spec.containers[0:2].name}", "a b"],
  ["{.spec.containers[-2:].name}", "b c"],
  ["{.spec.containers[1:].name}", "b c"],
  ["{.spec.containers[::2].name}", "a c"],
  ["{.spec.containers[0,2].name}", "a c"],
  ["{.metadata['name','namespace']}", "web"],
  ["{.metadata.labels.app\\.kubernetes\\.io/name}", "web"],
  ["{.metadata.labels['app\\.kubernetes\\.io/name']}", "web"],
  ['{.spec.containers[?(@.image=="x:1")].name}', "a"],
  ["{.spec.containers[?(@.image!='x:1')].name}", "b c"],
  ["{.spec.containers[?(@.stdin==true)].name}", "b"],
  ["{.spec.containers[?(@.stdin)].name}", "b"],
  ['{.spec.containers[?(@.name>"a")].name}', "b c"],
  ["{.spec.containers[*].ports[?(@.containerPort>80)].containerPort}", "8080"],
  ["{.spec.containers[*].ports[?(@.containerPort<=80)].containerPort}", "80"],
  ["{.spec.containers[?(@.image==\"x:1\")]['name']}", "a"],
  ["{..containerPort}", "80 8080"],
  ["{.metadata.labels.*}", "web front"],
  ["{.metadata.labels}", '{"app.kubernetes.io/name":"web","tier":"front"}'],
  ["{.spec.containers[2].env}", '[{"name":"K","value":"v"}]'],
  ["{.nothing.at.all}", ""],
  ["{.spec.priority}{'quoted'}", "7quoted"],
  ['{range .spec.containers[*]}{.name}{"\\t"}{@.image}{"\\n"}{end}', "a\tx:1\nb\ty:2\nc\tx:3\n"],
  ['{.status.conditions[?(@.type=="Ready")].status}', "True"],
])("%s is what kubectl prints: %j", (template, text) => {
  expect(evaluateTemplate(parseTemplate(template), pod)).toBe(text);
});

test.each([
  '{.metadata.labels[?(@=="web")]}',
  "{.status.conditions[?(@.type==Ready)].status}",
  "{.spec.containers[9].name}",
])("%s is an error in kubectl, and prints nothing here", (template) => {
  expect(evaluateTemplate(parseTemplate(template), pod)).toBe("");
});

test.each([
  [".metadata.labels['app.kubernetes.io/name']", ["web"]],
  ["spec.priority", [7]],
  ["$.spec.containers[-1].name", ["c"]],
  [" {.spec.containers[*].name} ", ["a", "b", "c"]],
  [".metadata.annotations['{']", ["brace"]],
])("the path %s leads to %j, with or without braces and a first dot", (path, values) => {
  expect([...findAlong(parsePath(path.trim()), pod, { left: 100 })]).toEqual(values);
});

test.each([".spec[", "[(@.length-1)]", "{.a}{.b}", "text {.a}", ""])("%j is no path", (path) => {
  expect(() => parsePath(path)).toThrow(JsonPathProblem);
});

test.each([".spec[*][*].absent", "..absent", ".spec[?(@..absent)]", ".spec[*].*.*"])(
  "%s leads through no more of an object than it may",
  (path) => {
    const effort = { left: 50 };
    const row = Array.from({ length: 1_000 }, () => ({}));
    const wide = { spec: Array.from({ length: 1_000 }, () => row) };
    expect([...findAlong(parsePath(path), wide, effort)]).toEqual([]);
    expect(effort.left).toBeLessThan(0);
    // The look that was one too many, and the names that were listed before it.
    expect(effort.left).toBeGreaterThan(-10);
  },
);
