import type { GitopsObject } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import type { MirrorPolicy } from "../types.ts";
import { decideMirror, type MirrorDecision } from "./decide.ts";
import { isMirrorOfOther, makeMirror, mirrorStateOf, readMirror, type WantedMirror } from "./mirror.ts";
import { toOwn } from "./release.ts";

const policy: MirrorPolicy = { actions: ["get"], groups: [], labels: ["*", "x.example/*", "kubernetes.io/named"] };
const rules = { cluster: "east", server: undefined, policy };
const resources = "resources-finalizer.argocd.argoproj.io";

describe("an application of the cluster", () => {
  it("is made on the hub with its labels and annotations, and without finalizers, owners and what belongs to its side", () => {
    const made = decide(
      want({ labels: { team: "a" }, annotations: { note: "x", ...foreign }, finalizers: [resources, "x/y"] }),
    );
    expect(made).toMatchObject({
      do: "create",
      object: {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "Application",
        metadata: { name: "web", namespace: "east", labels: { team: "a" }, finalizers: [] },
        spec: { project: "east.default", destination: { name: "east" } },
      },
    });
    const { annotations = {} } = objectOf(made).metadata;
    expect(annotations).toMatchObject({ note: "x", "fairlead.dev/source-uid": "c-1", "fairlead.dev/hub-uid": "hub" });
    for (const name of Object.keys(foreign)) expect(annotations[name]).not.toBe("forged");
  });

  it("stays as it is when it is as it should be, whatever its status", () => {
    const there = { ...mirror(), status: { sync: { status: "Synced" } }, operation: { sync: {} } };
    expect(decide(want({}), there).do).toBe("leave");
  });

  it("is written over what a person changed on the hub, with what the hub keeps for itself", () => {
    const { metadata } = mirror();
    const there: GitopsObject = {
      ...mirror(),
      spec: { project: "mine" },
      status: { a: 1 },
      metadata: {
        ...metadata,
        labels: { mine: "yes" },
        ownerReferences: [{ uid: "x" }],
        annotations: { ...metadata.annotations, "notified.notifications.argoproj.io": "sent", mine: "yes" },
      },
    };
    const object = objectOf(decide(want({}), there));
    expect(object).toMatchObject({ spec: { project: "east.default" }, status: { a: 1 } });
    expect(object.metadata.labels).not.toHaveProperty("mine");
    expect(object.metadata.annotations).not.toHaveProperty("mine");
    expect(object.metadata.annotations).toHaveProperty(["notified.notifications.argoproj.io"], "sent");
    expect(object.metadata).not.toHaveProperty("ownerReferences");
  });

  it("loses its finalizers when it is being deleted on the hub", () => {
    const there = withMetadata(mirror(), { deletionTimestamp: "2030-01-01T00:00:00Z", finalizers: [resources, "x/y"] });
    expect(decide(want({ finalizers: [resources] }), there)).toMatchObject({
      do: "release",
      object: { metadata: { finalizers: [] } },
    });
  });

  it("loses a finalizer that a former hub wrote there, and keeps others'", () => {
    const there = withMetadata(mirror(), { finalizers: [resources, "x/y"] });
    expect(decide(want({ finalizers: [resources] }), there)).toMatchObject({
      do: "finalizers",
      object: { metadata: { finalizers: ["x/y"] } },
    });
  });

  it("has the labels and annotations that the hub lists, and none that mean something there", () => {
    const names = { team: "a", "x.example/y": "b", "kubernetes.io/named": "c" };
    const others = {
      "other.example/y": "a",
      "app.kubernetes.io/instance": "hub-app",
      "kubernetes.io/other": "x",
      "notifications.argoproj.io/subscribe.on-sync-failed.slack": "all",
      "argocd.argoproj.io/tracking-id": "x",
      "argocd-image-updater.argoproj.io/image-list": "x",
      "argocd.argoproj.io/hook": "PreSync",
    };
    const said = { labels: { ...names, ...others }, annotations: { ...names, ...others } };
    const { labels = {}, annotations = {} } = objectOf(decide(want(said))).metadata;
    expect(labels).toEqual({ ...names, "fairlead.dev/cluster": "east", "fairlead.dev/ignore-sync": "true" });
    expect(annotations).toMatchObject(names);
    for (const name of Object.keys(others)) expect(annotations).not.toHaveProperty([name]);
  });

  it("isn't written over an object that the hub has of its own", () => {
    const own: GitopsObject = { ...mirror(), metadata: { name: "web", namespace: "east", uid: "h-1" } };
    expect(decide(want({}), own)).toMatchObject({ do: "refuse", refusal: { reason: "taken" } });
    expect(decide({ ...want({}), part: { ...want({}).part, copyOf: "h-2" } }, own).do).toBe("refuse");
  });

  it("takes the place of the hub's own of which it was the copy, and gives it back", () => {
    const own: GitopsObject = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "web", namespace: "east", uid: "h-1", labels: { old: "yes" }, finalizers: [resources] },
      spec: { project: "team-shop", destination: { name: "east" } },
    };
    const wanted = want({ labels: { old: "yes" } }, { project: "team-shop", destination: { name: "in-cluster" } });
    const taken = objectOf(decide({ ...wanted, part: { ...wanted.part, copyOf: "h-1" } }, own));
    expect(taken["spec"]).toMatchObject({ project: "east.team-shop" });
    const bare = withMetadata(taken, { finalizers: [] });
    expect(toOwn(bare, "east")).toEqual({ ...own, metadata: { ...own.metadata, annotations: {} } });
  });

  it("is refused while the hub shows one of the same name from another namespace of the cluster", () => {
    const other = { ...want({ namespace: "team-a" }), sourceUid: "c-2" };
    expect(decide(other, mirror())).toMatchObject({
      do: "refuse",
      refusal: { reason: "taken", message: expect.stringContaining("argocd/web") },
    });
  });

  it("that was made anew in the cluster takes over the mirror of the one before", () => {
    const anew = decide({ ...want({}), sourceUid: "c-2" }, mirror());
    expect(objectOf(anew).metadata).toMatchObject({ uid: "h-1", annotations: { "fairlead.dev/source-uid": "c-2" } });
  });
});

describe("a mirror", () => {
  it("is known by its stamps under its own name alone, and isn't what was written once it was changed", () => {
    const there = mirror();
    expect(readMirror("applications", rules, there)).toEqual({ sourceUid: "c-1", sourceName: "argocd/web" });
    expect(readMirror("applications", rules, withMetadata(there, { name: "copy" }))).toBeUndefined();
    const changed = [
      { ...there, spec: {} },
      withMetadata(there, { deletionTimestamp: "x" }),
      withMetadata(there, { labels: {} }),
    ];
    for (const other of changed)
      expect(mirrorStateOf("applications", other)).not.toBe(mirrorStateOf("applications", there));
    expect(mirrorStateOf("applications", { ...there, status: { a: 1 } })).toBe(mirrorStateOf("applications", there));
  });
});

describe("a project of the cluster", () => {
  it("takes its name from another cluster's mirror and from no object of the hub's own", () => {
    const wanted = { ...want({ name: "c" }), place: { namespace: "argocd", name: "east.c" } };
    const made = makeMirror("projects", { ...rules, cluster: "eas" }, { ...wanted, sourceUid: "other" }, undefined);
    const others = withMetadata(made, {
      uid: "h-1",
      annotations: { ...made.metadata.annotations, "fairlead.dev/source-name": "argocd/t.c" },
    });
    const decided = decideMirror({ kind: "projects", rules, wanted, there: others, isOurs: false });
    expect(objectOf(decided).metadata.labels).toMatchObject({ "fairlead.dev/cluster": "east" });
    expect([isMirrorOfOther("east", others), isMirrorOfOther("eas", others)]).toEqual([true, false]);
    const own = withMetadata(made, { uid: "h-1", annotations: {} });
    expect(decideMirror({ kind: "projects", rules, wanted, there: own, isOurs: false }).do).toBe("refuse");
  });
});

/** Annotations that a cluster may not set. */
const foreign = {
  "fairlead.dev/source-uid": "forged",
  "fairlead.dev/source-name": "forged",
  "fairlead.dev/was-managed": "forged",
  "notified.notifications.argoproj.io": "forged",
};

function want(
  metadata: Partial<WantedMirror["part"]["metadata"]>,
  spec: object = { project: "default" },
): WantedMirror {
  const part = {
    metadata: { name: "web", namespace: "argocd", labels: {}, annotations: {}, finalizers: [], ...metadata },
    spec: spec as Record<string, unknown>,
  };
  return { sourceUid: "c-1", hubUid: "hub", version: 7n, part, place: { namespace: "east", name: "web" } };
}

function mirror(metadata: Parameters<typeof want>[0] = {}): GitopsObject {
  return withMetadata(makeMirror("applications", rules, want(metadata), undefined), { uid: "h-1" });
}

function withMetadata(object: GitopsObject, metadata: Partial<GitopsObject["metadata"]>): GitopsObject {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

function decide(wanted: WantedMirror, there?: GitopsObject): MirrorDecision {
  return decideMirror({ kind: "applications", rules, wanted, there, isOurs: false });
}

function objectOf(decision: MirrorDecision): GitopsObject {
  if (!("object" in decision)) throw new Error(JSON.stringify(decision));
  return decision.object;
}
