import { expect, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { isMirrorOf, isPrincipalsCopy, noteAgent, readNote, toCopy, toMirror } from "./marks.ts";

const uid = "argocd.argoproj.io/source-uid";

test("a copy of the principal's becomes a mirror and a copy again, with what others wrote on it", () => {
  const labels = { team: "a" };
  const copy = manifest("web", { [uid]: "u-1", "argocd-agent.argoproj.io/last-updated": "then", note: "x" }, labels);
  expect(isPrincipalsCopy(copy)).toBe(true);
  const mirror = patched(copy, toMirror(copy, { cluster: "west", namespace: "argocd" }));
  expect(mirror.metadata).toMatchObject({
    labels: { team: "a", "fairlead.dev/cluster": "west", "fairlead.dev/ignore-sync": "true" },
    annotations: { note: "x", "fairlead.dev/source-uid": "u-1", "fairlead.dev/source-name": "argocd/web" },
  });
  expect([isPrincipalsCopy(mirror), isMirrorOf("west", mirror), isMirrorOf("east", mirror)]).toEqual([
    false,
    true,
    false,
  ]);
  const hub = patched(mirror, { metadata: { annotations: { "fairlead.dev/hub-uid": "h" } } });
  expect(patched(hub, toCopy(hub)).metadata).toEqual({ name: "web", labels, annotations: { [uid]: "u-1", note: "x" } });
});

test("a project's mirror names it without the cluster, and what names no source stays", () => {
  const project = { ...manifest("west-shop", { [uid]: "u-2" }), kind: "AppProject" };
  const patch = toMirror(project, { cluster: "west", namespace: "argocd" });
  expect(patched(project, patch).metadata.annotations).toMatchObject({ "fairlead.dev/source-name": "argocd/shop" });
  expect(toMirror(manifest("web", {}), { cluster: "west", namespace: "argocd" })).toBeUndefined();
});

test("how an agent ran is noted, and what isn't such a note is none", () => {
  const agent = { namespace: "argocd", name: "argocd-agent-agent", replicas: 2 };
  expect(readNote(patched(manifest("cluster-east", {}), noteAgent(agent)).metadata)).toEqual(agent);
  for (const text of ["", "null", "{", '{"namespace":"argocd","name":1,"replicas":1}'])
    expect(readNote({ name: "s", annotations: { "fairlead.dev/argocd-agent": text } }), text).toBeUndefined();
});

function manifest(name: string, annotations: Record<string, string>, labels: Record<string, string> = {}): Manifest {
  return { kind: "Application", metadata: { name, labels, annotations } };
}

/** As a merge patch does. */
function patched(object: Manifest, patch: ReturnType<typeof toMirror>): Manifest {
  const merge = (before: object = {}, more: object = {}): Record<string, string> =>
    Object.fromEntries(Object.entries<string>({ ...before, ...more }).filter(([, value]) => value !== null));
  const { labels, annotations, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: merge(labels, patch?.metadata.labels),
      annotations: merge(annotations, patch?.metadata.annotations),
    },
  };
}
