import { expect, test } from "vitest";
import { chart, configMap } from "./harness.fixture.ts";
import { parseHelmSpec } from "./spec.ts";

const inline = chart({ "a.json": configMap("a") });
const digest = `sha256:${"a".repeat(64)}`;

test.each([".", "./", undefined])("a chart at the root of a repository: %s", (path) => {
  const git = { url: "https://git.example.com/a", commit: "a".repeat(40) };
  expect(parseHelmSpec({ release: "web", chart: { git, path } }).action).toMatchObject({
    chart: { type: "git", path: undefined },
  });
});

test("what isn't told is as people expect it", () => {
  expect(parseHelmSpec({ release: "web", chart: inline })).toMatchObject({
    release: "web",
    namespace: "default",
    skipHooks: false,
    wait: { forObjects: true, forJobs: false, timeoutSeconds: 300 },
    action: { type: "upgrade", atomic: false, forceConflicts: false, historyMax: 10, values: { inline: {}, from: [] } },
  });
  expect(parseHelmSpec({ release: "web", action: "rollback", wait: false })).toMatchObject({
    wait: { forObjects: false, timeoutSeconds: 300 },
    action: { type: "rollback", revision: undefined },
  });
});

test.each([
  [
    { repository: "https://Charts.example.com/stable/", name: "web", version: "1.0.0" },
    "https://charts.example.com/stable",
  ],
  [{ repository: "http://127.0.0.1:8080", name: "web", version: "1.0.0", digest }, "http://127.0.0.1:8080"],
])("a repository has one spelling: %j", (source, url) => {
  expect(parseHelmSpec({ release: "web", chart: source }).action).toMatchObject({ chart: { type: "repository", url } });
});

test("values that are there are kept where that is asked for, by an upgrade alone", () => {
  const keeping = { release: "web", chart: inline, reuseValues: true };
  expect(parseHelmSpec(keeping).action).toMatchObject({ values: { isReusing: true } });
  expect(parseHelmSpec({ release: "web", chart: inline }).action).toMatchObject({ values: { isReusing: false } });
  expect(() => parseHelmSpec({ release: "web", action: "rollback", reuseValues: true })).toThrow("reuseValues");
});

test("a chart in a registry has a version or a digest", () => {
  const oci = "oci://registry.example.com:5000/charts/web";
  const { action } = parseHelmSpec({ release: "web", chart: { oci, digest, credentials: { secret: "n/s" } } });
  expect(action).toMatchObject({
    chart: { type: "oci", path: "registry.example.com:5000/charts/web", credentials: { namespace: "n", name: "s" } },
  });
  expect(() => parseHelmSpec({ release: "web", chart: { oci } })).toThrow("a version or a digest");
});

const web = { release: "web", chart: inline };
const repository = { repository: "https://x.example.com", name: "web", version: "1.0.0" };
test.each<readonly [object, string]>([
  [{ chart: inline }, "release"],
  [{ ...web, release: "Web" }, "it is no name of a release"],
  [{ ...web, release: "a".repeat(54) }, "53 characters"],
  [{ ...web, namespace: "a/b" }, "namespace: it is no DNS label"],
  [{ release: "web" }, "chart: the action upgrade requires a chart"],
  [{ ...web, action: "uninstall" }, "chart: the action uninstall doesn't support this member"],
  [{ release: "web", action: "test", atomic: true }, "atomic: the action test doesn't support this member"],
  [{ ...web, keepHistory: true }, "keepHistory: the action upgrade doesn't support this member"],
  [{ ...web, wait: { timeoutSeconds: 3601 } }, "wait"],
  [{ ...web, set: { a: 1 } }, "set"],
  [{ ...web, chart: { files: {} } }, "files has no Chart.yaml"],
  ...["../x", "/x", "a//b", "a/./b", "a\\b", "a\nb", "Chart.yaml/x", ""].map((path): [object, string] => [
    { ...web, chart: { files: { ...inline.files, [path]: "" } } },
    "files has a path",
  ]),
  [{ ...web, valuesFiles: ["../values.yaml"] }, "valuesFiles has a path"],
  [{ ...web, valuesFiles: ["more.yaml"] }, "the chart has no file more.yaml"],
  [{ release: "web", chart: repository, valuesFiles: ["more.yaml"] }, "only charts in git and inline charts"],
  [{ release: "web", chart: { ...repository, version: "^1" } }, "chart"],
  [{ release: "web", chart: { ...repository, name: "../web" } }, "chart"],
  [{ release: "web", chart: { ...repository, repository: "file:///etc" } }, "doesn't begin with https:// or http://"],
  [{ release: "web", chart: { ...repository, repository: "https://u:p@x.example.com" } }, "more than an address"],
  [{ release: "web", chart: { ...repository, repository: "https://x.example.com/a/../b" } }, "URL is ambiguous"],
  [{ release: "web", chart: { ...repository, repository: "https://x.example.com/%2e%2e/b" } }, "URL is ambiguous"],
  [{ release: "web", chart: { oci: "oci://x/web:1.0.0", version: "1.0.0" } }, "oci isn't oci://"],
  [{ release: "web", chart: { git: { url: "https://x", commit: "a" } } }, "git"],
  [{ ...web, valuesFrom: [{ secret: "n/s", configMap: "n/c" }] }, "either a secret or a configMap"],
  [{ ...web, valuesFrom: [{ secret: "s" }] }, "valuesFrom.0.secret: it is no NAMESPACE/NAME"],
  [{ ...web, valuesFrom: [{ secret: "n/s", key: ".." }] }, "valuesFrom.0.key"],
  [{ ...web, valuesFrom: [{ secret: "n/s", targetPath: "a..b" }] }, "it isn't a path of a value"],
])("%j is refused: %s", (spec, detail) => {
  expect(() => parseHelmSpec(spec)).toThrow(detail);
});
