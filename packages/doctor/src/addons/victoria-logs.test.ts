import { expect, test } from "vitest";
import type { Verdict } from "../checks/index.ts";
import { verdictsOf } from "../testing/examine-addon.fixture.ts";
import { reportOn, setAt, verdictOf } from "../testing/judge.fixture.ts";
import { changed, readStandIn } from "../testing/stand-ins.fixture.ts";
import { victoriaLogs } from "./victoria-logs.ts";
import { parseVictoriaPeriod } from "./victoria-retention.ts";

const chart = readStandIn("victoria-logs/chart");
const server = "victoria-logs-victoria-logs-single-server";
const set = ["StatefulSet", server] as const;
const claim = ["PersistentVolumeClaim", `server-volume-${server}-0`] as const;
const args = "spec/template/spec/containers/0/args";

test.each([
  ["chart", "1.52.0"],
  ["upstream", "1.48.0"],
])("%s is fit", (shape, version) => {
  const report = reportOn(victoriaLogs, readStandIn(`victoria-logs/${shape}`));
  expect(report).toMatchObject({ state: "healthy", installation: { version } });
  expect(verdictsOf(report)).toEqual({
    "victoria-logs.endpoint": "pass",
    "victoria-logs.retention": "pass",
    "victoria-logs.storage": "pass",
  });
});

test.each<[string, string, readonly [string, string], string, unknown, Verdict["is"]]>([
  ["retention", "its default of a week", set, args, [], "fail"],
  ["retention", "a week", set, args, ["--retentionPeriod=1w"], "fail"],
  ["retention", "two months without a unit", set, args, ["-retentionPeriod", "2"], "pass"],
  ["retention", "something that is no period", set, args, ["--retentionPeriod=long"], "fail"],
  ["storage", "a volume that waits", claim, "status/phase", "Pending", "fail"],
  ["storage", "a claim that isn't there", claim, "metadata/name", "other", "fail"],
  ["storage", "no volume", set, "spec/volumeClaimTemplates", undefined, "warn"],
  ["endpoint", "no Service leads to it", ["Service", server], "spec/selector", { app: "other" }, "fail"],
  ["endpoint", "another port", ["Service", server], "spec/ports", [{ port: 1 }], "fail"],
  ["endpoint", "a Service without a selector", ["Service", server], "spec/selector", undefined, "fail"],
])("%s notices: %s", (check, _, [kind, name], path, value, is) => {
  const cluster = changed(chart, kind, name, (object) => setAt(object, path, value));
  expect(verdictOf(victoriaLogs, `victoria-logs.${check}`, cluster).is).toBe(is);
});

test("a chart is mended by its values", () => {
  const cluster = changed(chart, ...set, (object) => setAt(object, args, []));
  expect(verdictOf(victoriaLogs, "victoria-logs.retention", cluster)).toMatchObject({
    evidence: [{ observed: "unset, which is 7d", expected: "15d or longer" }],
    fix: {
      chart: "victoria-logs-single",
      release: { namespace: "tfy-logs", name: "victoria-logs" },
      values: { server: { retentionPeriod: "15d" } },
    },
  });
});

test.each([
  ["1", 31],
  ["15d", 15],
  ["2w", 14],
  ["36h", 1.5],
  ["1M", 31],
  ["1y", 365],
  ["", 0],
  ["-1d", 0],
])("a period of '%s' is %d days", (text, days) => expect(parseVictoriaPeriod(text)).toBe(days));
