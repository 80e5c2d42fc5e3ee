import type { GitopsObject } from "@fairlead/protocol";
import { describe, expect, test } from "vitest";
import { type Decision, decide, type Situation } from "./decide.ts";
import { makeCopy, type WantedCopy } from "./make-copy.ts";

const wanted: WantedCopy = {
  sourceUid: "source",
  hubUid: "hub",
  version: 5n,
  place: { namespace: "argocd", name: "shop" },
  part: partOf({}),
};
const remapped = { ...wanted.place, remappedFrom: "east" };
const deleting: WantedCopy = { ...wanted, part: partOf({ isDeleting: true }) };
const copy = placed(makeCopy("applications", wanted, undefined));
const foreign = placed(makeCopy("applications", { ...wanted, sourceUid: "another" }, undefined));
const onNextHub: WantedCopy = { ...wanted, hubUid: "next" };
const bare = withMetadata(copy, { annotations: {} });
const going = withMetadata(copy, { deletionTimestamp: "2026-01-01T00:00:00Z" });
const finalizer = "resources-finalizer.argocd.argoproj.io";
const background = `${finalizer}/background`;
const waiting = { do: "refuse", refusal: { reason: "unavailable", retryAfterMs: 2_000 } };
const rules = {
  adoption: "always",
  onUidMismatch: "recreate",
  onRecreate: "ignore",
  createsNamespaces: false,
} as const;

test.each<[string, Partial<Situation>, Decision["do"]]>([
  ["nothing is there", { there: undefined }, "create"],
  ["it is as it should be", { there: copy }, "leave"],
  ["its spec was changed", { there: { ...copy, spec: { project: "mine" } } }, "replace"],
  ["a label was added", { there: withMetadata(copy, { labels: { mine: "yes" } }) }, "replace"],
  ["its status was written", { there: { ...copy, status: { health: {} }, operation: {} } }, "leave"],
  ["a refresh is under way", { there: annotated("argocd.argoproj.io/refresh", "normal") }, "leave"],
  ["a controller has a finalizer on it", { there: withMetadata(copy, { finalizers: ["example.com/x"] }) }, "leave"],
  ["another version was written", { there: copy, wanted: { ...wanted, version: 6n } }, "replace"],
  ["another hub wrote it", { there: copy, wanted: onNextHub }, "replace"],
  ["it is being deleted", { there: going }, "wait"],
  ["its stamps were taken off", { there: bare, isOurs: true, rules: { ...rules, adoption: "never" } }, "replace"],
  ["it is nobody's copy", { there: bare }, "replace"],
  ["… and may not be taken over", { there: bare, rules: { ...rules, adoption: "never" } }, "refuse"],
  [
    "… and is to be left alone",
    { there: withMetadata(bare, { labels: { "fairlead.dev/ignore-sync": "true" } }) },
    "refuse",
  ],
  ["it is another one's copy", { there: foreign }, "recreate"],
  ["… and is to be taken over", { there: foreign, rules: { ...rules, onUidMismatch: "upsert" } }, "replace"],
  ["… whose name on the hub was the same", { there: foreign, origin: "east" }, "recreate"],
  ["… from another namespace on the hub", { there: foreign, origin: "west" }, "refuse"],
  ["it is the copy of another hub", { there: foreign, origin: "west", wanted: onNextHub }, "replace"],
  [
    "… and may not be taken over",
    { there: foreign, wanted: onNextHub, rules: { ...rules, adoption: "never" } },
    "refuse",
  ],
  ["its copy is in another namespace", { elsewhere: copy }, "refuse"],
  ["it was made by another mapping", { there: copy, wanted: { ...wanted, place: remapped } }, "replace"],
  ["it is being deleted at the hub", { there: copy, wanted: deleting }, "delete"],
  ["… and here", { there: going, wanted: deleting }, "leave"],
  ["… and gone here", { there: undefined, wanted: deleting }, "leave"],
  ["… and never was the hub's here", { there: foreign, wanted: deleting }, "leave"],
  ["it is gone at the hub", { there: copy, wanted: undefined }, "delete"],
  ["… and here", { there: undefined, wanted: undefined }, "leave"],
  ["… and is another one's here", { there: foreign, wanted: undefined }, "leave"],
])("when %s: %o", (_when, situation, what) => {
  expect(
    decide({ kind: "applications", sourceUid: "source", wanted, there: undefined, isOurs: false, rules, ...situation })
      .do,
  ).toBe(what);
});

describe("what is deleted at the hub takes along what it deployed when that was asked for there", () => {
  const cascading = withMetadata(copy, { finalizers: [finalizer, "example.com/x"] });
  const cascadingNow = {
    ...deleting,
    part: partOf({ isDeleting: true, finalizers: [background, "argo.example/hub"] }),
  };
  const orphaned = { wanted: undefined, departure: { finalizers: [], isWithdrawn: false } };
  const moved = { wanted: undefined, departure: { finalizers: [finalizer], isWithdrawn: true } };
  const goingWith = (...finalizers: readonly string[]) => withMetadata(going, { finalizers });

  test.each<[string, Partial<Situation>, readonly string[] | "delete" | "leave"]>([
    ["it isn't to, and the copy would", { there: cascading, ...orphaned }, ["example.com/x"]],
    ["it isn't to, and the copy wouldn't", { there: copy, ...orphaned }, "delete"],
    ["it is to, and the copy wouldn't", { there: copy, wanted: cascadingNow }, [background]],
    ["it is to in another way", { there: cascading, wanted: cascadingNow }, [background, "example.com/x"]],
    ["it isn't to any more, and the copy is on its way", { there: goingWith(finalizer), ...orphaned }, []],
    [
      "it is to after all, and the copy is on its way",
      { there: goingWith("x.example/y"), wanted: cascadingNow },
      "leave",
    ],
    ["it moved to another cluster with what it deployed", { there: copy, ...moved }, [finalizer]],
    ["an older hub doesn't say", { there: cascading, wanted: undefined }, "delete"],
  ])("when %s", (_when, situation, expected) => {
    const decision = decide({
      kind: "applications",
      sourceUid: "source",
      wanted,
      there: copy,
      isOurs: false,
      rules,
      ...situation,
    });
    if (typeof expected === "string") expect(decision.do).toBe(expected);
    else expect(decision).toMatchObject({ do: "prepare", object: { metadata: { finalizers: expected } } });
  });
});

describe("a project", () => {
  const project: WantedCopy = {
    ...wanted,
    part: { ...partOf({}), spec: { destinations: [{ name: "in-cluster" }] } } as WantedCopy["part"],
  };
  const there = placed(makeCopy("projects", project, undefined));
  const gone = { finalizers: [], isWithdrawn: false };
  const withdrawn = { finalizers: [], isWithdrawn: true };
  const denying = { ...there, spec: { destinations: [] } };
  const users = ["argocd/web"];
  const ending = { ...project, part: { ...project.part, metadata: { ...project.part.metadata, isDeleting: true } } };

  test.each<[string, Partial<Situation>, object]>([
    ["goes when no application is in it", { wanted: undefined, departure: gone, users: [] }, { do: "delete" }],
    ["stays as long as one is", { wanted: undefined, departure: gone, users }, waiting],
    ["stays until applications are known", { wanted: undefined, departure: gone, users: undefined }, waiting],
    ["… also when the hub's waits for its finalizer", { wanted: ending, users }, waiting],
    [
      "allows nothing when it isn't the cluster's any more",
      { wanted: undefined, departure: withdrawn, users },
      { do: "prepare", object: { spec: { destinations: [] } } },
    ],
    ["… and goes after its applications", { there: denying, wanted: undefined, departure: withdrawn, users }, waiting],
    ["… or at once", { wanted: undefined, departure: withdrawn, users: [] }, { do: "delete" }],
    [
      "that was made anew takes its place under its applications",
      { wanted: { ...project, sourceUid: "next" }, sourceUid: "next", users },
      { do: "replace" },
    ],
    [
      "… and is made anew without any",
      { wanted: { ...project, sourceUid: "next" }, sourceUid: "next", users: [] },
      { do: "recreate" },
    ],
  ])("%s", (_what, situation, expected) => {
    const base = { kind: "projects", sourceUid: "source", wanted: project, there, isOurs: false, rules } as const;
    expect(decide({ ...base, ...situation })).toMatchObject(expected);
  });
});

test("a ConfigMap that Argo CD needs is taken over, and emptied where an application would be deleted", () => {
  const metadata = { ...copy.metadata, name: "argocd-gpg-keys-cm" };
  const there = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } };
  const situation = { kind: "gpg-keys", sourceUid: "source", there, isOurs: false, rules } as const;
  const gone = decide({ ...situation, wanted: undefined });
  expect(gone).toMatchObject({ do: "replace", object: { data: {}, metadata: { annotations: {} } } });
  const data: WantedCopy = {
    ...wanted,
    part: { metadata: partOf({ name: metadata.name }).metadata, data: { c: "d" } } as WantedCopy["part"],
  };
  const local = { ...there, metadata: { ...there.metadata, annotations: {} } };
  const taken = decide({ ...situation, there: local, wanted: data, rules: { ...rules, adoption: "never" } });
  expect(taken).toMatchObject({ do: "replace", object: { data: { c: "d" } } });
});

test("no Secret of Argo CD's own is written, whatever the hub sends and whatever stamps it has", () => {
  const labels = { "argocd.argoproj.io/secret-type": "repository" };
  const own = { apiVersion: "v1", kind: "Secret", metadata: { ...copy.metadata, name: "argocd-secret" }, data: {} };
  const base = { kind: "repositories", sourceUid: "source", isOurs: false, rules } as const;
  const sent = { ...wanted, part: partOf({ name: "argocd-secret", labels }) };
  expect(decide({ ...base, there: own, wanted: sent })).toMatchObject({ do: "refuse", refusal: { reason: "taken" } });
  expect(decide({ ...base, there: own, wanted: undefined }).do).toBe("leave");
  const plain = { ...wanted, part: partOf({ name: "argocd-secret" }) };
  expect(decide({ ...base, there: undefined, wanted: plain })).toMatchObject({ do: "refuse" });
  expect(decide({ ...base, there: undefined, wanted: sent }).do).toBe("create");
});

test("what is replaced keeps status, operation and the annotations of its own side", () => {
  const there = {
    ...annotated("argocd.argoproj.io/refresh", "hard"),
    status: { health: "x" },
    operation: { sync: {} },
  };
  const next = { ...wanted, version: 6n, part: partOf({ annotations: { note: "new" } }) };
  const made = decide({ kind: "applications", sourceUid: "source", wanted: next, there, isOurs: false, rules });
  expect(made).toMatchObject({ do: "replace", object: { status: { health: "x" }, operation: { sync: {} } } });
  const annotations = made.do === "replace" ? made.object.metadata.annotations : {};
  expect(annotations).toMatchObject({ note: "new", "argocd.argoproj.io/refresh": "hard" });
});

function partOf(more: object): WantedCopy["part"] {
  const metadata = { name: "shop", namespace: "east", labels: {}, annotations: {}, finalizers: [], isDeleting: false };
  const spec = { project: "default", destination: { server: "https://hub.invalid", namespace: "shop" } };
  return { metadata: { ...metadata, ...more }, spec } as WantedCopy["part"];
}

function placed(object: GitopsObject): GitopsObject {
  return withMetadata(object, { uid: "own", resourceVersion: "1" });
}

function annotated(name: string, value: string): GitopsObject {
  return withMetadata(copy, { annotations: { ...copy.metadata.annotations, [name]: value } });
}

function withMetadata(object: GitopsObject, more: Partial<GitopsObject["metadata"]>): GitopsObject {
  return { ...object, metadata: { ...object.metadata, ...more } };
}
