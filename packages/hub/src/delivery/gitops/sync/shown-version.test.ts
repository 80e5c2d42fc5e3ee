import type { Application } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { readShownVersion, withShownVersion } from "./shown-version.ts";

const application: Application = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  spec: {},
  metadata: { name: "web", namespace: "east", annotations: { note: "x" } },
};

test("an application remembers what the cluster said while the hub shows something else, and no longer", () => {
  const marked = withShownVersion(application, { told: 7n, shown: 0xabcn });
  expect(readShownVersion(marked)).toEqual({ told: 7n, shown: 0xabcn });
  expect(marked.metadata.annotations).toMatchObject({ note: "x" });
  expect(withShownVersion(marked, { told: 8n, shown: 8n }).metadata.annotations).toEqual({ note: "x" });
  expect(withShownVersion(application, { told: 8n, shown: 8n })).toBe(application);
});

test.each(["", "7", "x y", "7 -1"])("a mark that can't be read is none: %j", (mark) => {
  const annotations = { "fairlead.dev/shown-version": mark };
  expect(readShownVersion({ ...application, metadata: { ...application.metadata, annotations } })).toBeUndefined();
});
