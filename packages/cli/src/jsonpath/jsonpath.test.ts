import { expect, test } from "vitest";
import { evaluateTemplate } from "./evaluate.ts";
import { parseTemplate } from "./parse.ts";

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
])("%s is refused: %s", (template, why) => {
  expect(() => parseTemplate(template)).toThrow(
    expect.objectContaining({ code: "CLI_USAGE", message: expect.stringContaining(why) }),
  );
});
