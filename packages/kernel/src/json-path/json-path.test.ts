import { expect, test } from "vitest";
import { parseExactJson } from "../exact-json.ts";
import { evaluateTemplate, findFirst, findValues, JsonPathProblem, parsePath, parseTemplate } from "./index.ts";

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
  ["{.items[1].status}", '{"phase":"Pending","ready":false,"restarts":0}'],
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
  ["{.", "its end instead of '}'"],
  ["{.a,.b}", "',.b}' instead of '}'"],
  ["{.a....b}", "follows another one"],
  ["{.a[?(@.b=~'c')]}", "wasn't expected"],
  ["{.a['b}", "wasn't expected"],
  ['{"a}', "has no end"],
  ["{}", "wasn't expected"],
  [".[?(.[?(".repeat(50), "nested too deeply"],
  ["{range .a}".repeat(50), "nested too deeply"],
  [".a".repeat(600), "too many steps"],
  [`.a[?(@${".b".repeat(300)}[?(@${".c".repeat(300)})])]`, "too many steps"],
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
  expect(findValues(parsePath(path.trim()), pod)).toEqual(values);
});

test.each([".spec[", "[(@.length-1)]", "{.a}{.b}", "text {.a}", "", ".a[1:2:3:4]", ".a[x]", "{range .a}{end}"])(
  "%j is no path",
  (path) => {
    expect(() => parsePath(path)).toThrow(JsonPathProblem);
  },
);

// What client-go's util/jsonpath finds first, with keys that may be missing: a cell of a printer column.
const status = {
  list: [10, 20, 30, 40, 50],
  empty: [],
  none: null,
  text: "<a>&",
  conditions: [
    { type: "Created", status: "True", weight: 1 },
    { type: "Ready", status: "False", weight: 2.5, why: { code: 7 } },
    { type: "Done", status: "True", reason: "All" },
  ],
  pools: [
    { name: "a", sizes: [1, 2, 3] },
    { name: "b", sizes: [4] },
  ],
  map: { "x.y/z": "dotted", b: 1, a: [true], "k8s-app=x": "odd" },
  deep: { name: "one", inner: { name: "two" } },
};

test.each([
  ["[-1:]", 50],
  ["[-1]", 50],
  ["[-2:]", 40],
  ["[0]", 10],
  ["[]", 10],
  ["[:]", 10],
  ["[*]", 10],
  ["[1:3]", 20],
  ["[:-3]", 10],
  ["[-4:-2]", 20],
  ["[1::2]", 20],
  ["[3,0]", 40],
  ["[ 3 , 0 ]", 40],
  ["[0:0]", undefined],
  ["[5]", undefined],
  ["[-6]", undefined],
  ["[0:6]", undefined],
  ["[3:1]", undefined],
  ["[0:3:0]", undefined],
  ["[0:3:-1]", undefined],
  ["[7:7]", undefined],
  [".0", undefined],
  ["['0']", undefined],
])("a column of .list%s shows %j", (path, value) => {
  expect(first(`.status.list${path}`)).toEqual(value);
});

test.each([
  ['.conditions[?(@.type=="Ready")].status', "False"],
  [".conditions[?(@.type=='Ready')].status", "False"],
  ['.conditions[?(.type=="Ready")].status', "False"],
  ['.conditions[?($.type=="Ready")].status', "False"],
  ['.conditions[?( @.type == "Ready" )].status', "False"],
  ["..conditions[?(@.type=='Ready')].status", "False"],
  ['.conditions[?("Ready"==@.type)].status', "False"],
  [".conditions[?(@['type']=='Ready')]['status']", "False"],
  ['.conditions[?(@.type!="Created")].type', "Ready"],
  ['.conditions[?(@.type>"D")].type', "Ready"],
  [".conditions[?(@.reason)].type", "Done"],
  [".conditions[?(@.why.code==7)].type", "Ready"],
  [".conditions[?(@.why.code>=+7)].type", "Ready"],
  [".conditions[?(@.why.code<-7)].type", undefined],
  [".conditions[?(@.why[0])].type", undefined],
  [".conditions[?(@.weight==1)].type", undefined],
  [".conditions[?(@.why.code==7.0)].type", undefined],
  [".conditions[?(@.why.code==true)].type", undefined],
  [".conditions[?(@.why=='x')].type", undefined],
  [".conditions[?(@.type==Ready)].type", undefined],
  [".conditions[?(@.*=='Ready')].type", undefined],
  [".map[?(@=='dotted')]", undefined],
  [".absent[?(@.a=='b')]", undefined],
  [".absent[*].name", undefined],
  [".none[0]", undefined],
  [".none", null],
  [".text[0]", undefined],
  [".pools[*].sizes[2]", undefined],
  [".pools[*].sizes[0]", 1],
  [".pools[*].sizes[*]", 1],
  [".pools[*]['sizes','name']", [1, 2, 3]],
  [".pools['absent','name']", undefined],
  [".pools[*]['absent','name']", "a"],
  ["['conditions','pools'][*].name", "a"],
  [".map.x\\.y/z", "dotted"],
  [".map['x\\.y/z']", "dotted"],
  [".map['x.y/z']", undefined],
  [".map['']", undefined],
  [".map[' ']", undefined],
  [".map.k8s-app=x", "odd"],
  ["['deep.inner.name']", "two"],
  [".deep .inner .name", "two"],
  [".deep@.name", "one"],
  [".deep..name", "one"],
  [".deep...name", "one"],
  [".deep.*", "one"],
  [".text.*", 60],
  ["..absent", undefined],
  [".deep name", undefined],
  ['.deep "constant"', "constant"],
])("a column of .status%s shows %j", (path, value) => {
  expect(first(`.status${path}`)).toEqual(value);
});

test.each([
  ["{.status.map}", '{"a":[true],"b":1,"k8s-app=x":"odd","x.y/z":"dotted"}'],
  ["{.status.text} {.status.deep}", '<a>& {"inner":{"name":"two"},"name":"one"}'],
  ["{.status['text','none']}", "<a>& null"],
  ["{.status.pools[*]['name', 'sizes']}", "a b [1,2,3] [4]"],
  ["{range .status.pools[*]}{.name}:{range .sizes[*]}{@},{end}{end}", "a:1,2,3,b:4,"],
  ["{range.status.pools[*]}{.name}{end}", "ab"],
  ["{.status.list[::2]}", "10 30 50"],
  ["{..name}", "a b one two"],
  ["{.status.conditions[*].weight}", "1 2.5"],
  ['{"\\u0041\\x42\\103\\"\\\\"}', 'ABC"\\'],
  ["{5} {true} {-2.5}", "5 true -2.5"],
])("%s prints what kubectl prints: %j", (template, text) => {
  expect(evaluateTemplate(parseTemplate(template), { status })).toBe(text);
});

test("objects are printed as Go's JSON, numbers as Go's", () => {
  const printed = (text: string) => evaluateTemplate(parseTemplate("{.a}"), { a: parseExactJson(text) });

  expect(printed('{"b":"<&>","a":"\\u2028"}')).toBe('{"a":"\\u2028","b":"\\u003c\\u0026\\u003e"}');
  expect(printed("0.00001")).toBe("1e-05");
  expect(printed("1234567.5")).toBe("1.2345675e+06");
  expect(printed("123456.5")).toBe("123456.5");
  expect(printed("9223372036854775807")).toBe("9223372036854775807");
  expect(printed('{"a":[9007199254740993]}')).toBe('{"a":[9007199254740993]}');
  expect(printed("12345678901234567890")).toBe("1.2345678901234567e+19");
});

test("whole numbers of 64 bits are compared by all their digits", () => {
  const document = parseExactJson('{"a":[{"n":9007199254740992},{"n":9007199254740993},{"n":5}]}');
  const found = (test: string) => evaluateTemplate(parseTemplate(`{.a[?(@.n${test})].n}`), document);

  expect(found("==9007199254740993")).toBe("9007199254740993");
  expect(found(">9007199254740992")).toBe("9007199254740993");
  expect(found("<9007199254740993")).toBe("9007199254740992 5");
});

test.each([".spec[*][*].absent", "..absent", ".spec[?(@..absent)]", ".spec[*].*.*", ".spec[*][*]['a','b'].c"])(
  "%s leads through no more of an object than it may",
  (path) => {
    const effort = { left: 50 };
    const row = Array.from({ length: 1_000 }, () => ({}));
    const wide = { spec: Array.from({ length: 1_000 }, () => row) };
    expect(findFirst(parsePath(path), wide, effort)).toBeUndefined();
    expect(effort.left).toBeLessThan(0);
    // The look that was one too many, and the names that were listed before it.
    expect(effort.left).toBeGreaterThan(-10);
  },
);

test("the longest path is followed without an end of the stack", () => {
  const text = `${"[*]".repeat(480)}[?(@.a)]`;
  expect(findValues(parsePath(text), nest(480))).toEqual([{ a: 1 }]);

  function nest(depth: number): unknown {
    return [depth === 0 ? { a: 1 } : nest(depth - 1)];
  }
});

test("unions in a row cost no more than they may", () => {
  const effort = { left: 1_000 };
  expect(findFirst(parsePath(`.a${"[0,0]".repeat(90)}`), { a: [nest(90)] }, effort)).toBeUndefined();
  expect(effort.left).toBeGreaterThan(-200);

  function nest(depth: number): unknown {
    return depth === 0 ? 1 : [nest(depth - 1)];
  }
});

function first(path: string): unknown {
  return findFirst(parsePath(path), { status }, { left: 10_000 });
}
