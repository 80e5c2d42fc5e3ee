// Projects, repositories and keys of the hub's Argo CD in a managed cluster. Hub and cluster have namespaces of one API
// server, and the hub no more rights than docs/argocd-hub.md says. The tests play Argo CD.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ArgoHarness, openArgoHarness } from "../fleet/argo-harness.ts";

let harness: ArgoHarness;
beforeAll(async () => {
  harness = await openArgoHarness();
});
afterAll(() => harness?.[Symbol.asyncDispose]());

test("AppProject_Managed: a project for the cluster comes as its own, follows the hub, and goes when it isn't for it any more", async () => {
  const spec = harness.projectSpec({
    destinations: [
      { name: "west", namespace: "secret" },
      { name: harness.cluster, namespace: "shop" },
    ],
  });
  await harness.hub.put("projects", "shop", { spec: { ...spec, roles: [{ name: "ci" }] } });
  await harness.untilThere("projects", "shop", {
    spec: { destinations: [{ ...inCluster, namespace: "shop" }], sourceRepos: ["*"] },
  });
  const copy = await harness.there.get("projects", "shop");
  expect(copy?.["spec"]).not.toHaveProperty("roles");
  expect(copy?.["spec"]).not.toHaveProperty("sourceNamespaces");
  await harness.hub.put("projects", "shop", { spec: { ...spec, description: "second" } });
  await harness.untilThere("projects", "shop", { spec: { description: "second" } });
  await harness.hub.put("projects", "shop", {
    spec: harness.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }),
  });
  await harness.untilGone("projects", "shop");
  await harness.hub.put("projects", "shop", { spec });
  await harness.untilThere("projects", "shop", {});
  await harness.hub.remove("projects", "shop");
  await harness.untilGone("projects", "shop");
});

test("Default_Managed: the project default that the cluster's Argo CD made becomes the hub's", async () => {
  await harness.there.put("projects", "default", { spec: { sourceRepos: ["*"], description: "the cluster's" } });
  const spec = {
    sourceRepos: ["https://example.com/*"],
    sourceNamespaces: ["*"],
    destinations: [{ server: "*", namespace: "*" }],
  };
  await harness.hub.put("projects", "default", { spec });
  await harness.untilThere("projects", "default", {
    spec: { sourceRepos: ["https://example.com/*"], destinations: [{ ...inCluster, namespace: "*" }] },
  });
});

test("RevertAppProjectUpdates_Managed: a project that is changed or deleted in the cluster is put back", async () => {
  await harness.hub.put("projects", "kept", { spec: harness.projectSpec() });
  const { metadata } = await harness.untilThere("projects", "kept", {});
  await harness.there.put("projects", "kept", { spec: { sourceRepos: ["https://evil.example/*"] } });
  await harness.untilThere("projects", "kept", { spec: { sourceRepos: ["*"] } });
  await harness.there.remove("projects", "kept");
  await expect
    .poll(async () => (await harness.there.get("projects", "kept"))?.metadata.uid ?? metadata.uid)
    .not.toBe(metadata.uid);
});

test("Repository_Managed: the Secret of a project's repository comes, follows the hub and goes", async () => {
  await harness.hub.put("projects", "team", { spec: harness.projectSpec() });
  await harness.hub.putRepository("repo-a", { project: "team", password: "hunter2" });
  expect(await harness.untilData("repositories", "repo-a", { project: "team", password: "hunter2" })).toMatchObject({
    labels: { "argocd.argoproj.io/secret-type": "repository" },
  });
  await harness.hub.putRepository("repo-a", { project: "team", password: "hunter3" });
  await harness.untilData("repositories", "repo-a", { password: "hunter3" });
  await harness.hub.remove("repositories", "repo-a");
  await harness.untilGone("repositories", "repo-a");
  expect(await readFile(harness.logFile, "utf8")).not.toMatch(/hunter[23]/);
});

test("Repository_Late_AppProjectCreation: a Secret waits for its project, and one of another or of none doesn't come", async () => {
  await harness.hub.putRepository("of-west", { project: "west-only" });
  await harness.hub.putRepository("of-nobody", {});
  await harness.hub.putRepository("early", { project: "late" });
  await harness.hub.put("projects", "west-only", {
    spec: harness.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }),
  });
  await harness.untilSettled();
  expect(await harness.there.get("repositories", "early")).toBeUndefined();
  await harness.hub.put("projects", "late", { spec: harness.projectSpec() });
  await harness.untilThere("repositories", "early", {});
  for (const name of ["of-west", "of-nobody"]) expect(await harness.there.get("repositories", name)).toBeUndefined();
});

test("Repository_AppProjectUpdate: a Secret goes with its project, and comes back with it", async () => {
  await harness.hub.put("projects", "moving", { spec: harness.projectSpec() });
  await harness.hub.putRepository("moved", { project: "moving" });
  await harness.untilThere("repositories", "moved", {});
  await harness.hub.put("projects", "moving", {
    spec: harness.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }),
  });
  await harness.untilGone("repositories", "moved");
  await harness.hub.put("projects", "moving", { spec: harness.projectSpec() });
  await harness.untilThere("repositories", "moved", {});
  await harness.hub.remove("projects", "moving");
  await harness.untilGone("repositories", "moved");
});

test("Repository_Change_AppProject: a Secret that is given to another project goes where that one is", async () => {
  await harness.hub.put("projects", "one", { spec: harness.projectSpec() });
  await harness.hub.put("projects", "two", { spec: harness.projectSpec() });
  await harness.hub.put("projects", "far", {
    spec: harness.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }),
  });
  await harness.hub.putRepository("given", { project: "one" });
  await harness.untilData("repositories", "given", { project: "one" });
  const { uid } = (await harness.untilThere("repositories", "given", {})).metadata;
  await harness.hub.putRepository("given", { project: "two" });
  await harness.untilData("repositories", "given", { project: "two" });
  expect((await harness.there.get("repositories", "given"))?.metadata.uid).toBe(uid);
  await harness.hub.putRepository("given", { project: "far" });
  await harness.untilGone("repositories", "given");
});

test("RepoCreds_Managed, RepoCreds_AppProjectUpdate and RepoCreds_without_AppProject: credentials go where their project does", async () => {
  const type = "repo-creds";
  await harness.hub.put("projects", "creds", { spec: harness.projectSpec() });
  await harness.hub.putRepository("creds-of-nobody", { password: "hunter2" }, type);
  await harness.hub.putRepository("creds-a", { project: "creds", password: "hunter2" }, type);
  expect(await harness.untilData("repositories", "creds-a", { password: "hunter2" })).toMatchObject({
    labels: { "argocd.argoproj.io/secret-type": type },
  });
  expect(await harness.there.get("repositories", "creds-of-nobody")).toBeUndefined();
  await harness.hub.put("projects", "creds", {
    spec: harness.projectSpec({ destinations: [{ name: "*", namespace: "*" }, { name: `!${harness.cluster}` }] }),
  });
  await harness.untilGone("repositories", "creds-a");
});

test("RevertRepositoryUpdatesManagedMode: a Secret that is changed or deleted in the cluster is put back", async () => {
  await harness.hub.put("projects", "team", { spec: harness.projectSpec() });
  await harness.hub.putRepository("repo-kept", { project: "team", password: "right" });
  const { metadata } = await harness.untilThere("repositories", "repo-kept", {});
  await harness.there.putRepository("repo-kept", { project: "team", password: "wrong" });
  await harness.untilData("repositories", "repo-kept", { password: "right" });
  await harness.there.remove("repositories", "repo-kept");
  await expect
    .poll(async () => (await harness.there.get("repositories", "repo-kept"))?.metadata.uid ?? metadata.uid)
    .not.toBe(metadata.uid);
});

describe("GPGKey", () => {
  const name = "argocd-gpg-keys-cm";
  const untilKeys = (keys: object) =>
    expect
      .poll(async () => (await harness.there.get("gpg-keys", name))?.["data"] ?? {}, harness.patience)
      .toEqual(keys);

  test("GPGKey_UseAndUpdatePreExistingConfigMap: the ConfigMap that the cluster has gets the hub's keys", async () => {
    await harness.there.put("gpg-keys", name, { data: { LOCAL: "a key of the cluster" } });
    const { uid } = (await harness.there.get("gpg-keys", name))?.metadata ?? {};
    await harness.hub.put("gpg-keys", name, { data: { AAAA: "one" } });
    await untilKeys({ AAAA: "one" });
    expect((await harness.there.get("gpg-keys", name))?.metadata.uid).toBe(uid);
  });

  test("GPGKey_AddMultipleKeys: keys that are added and taken out on the hub are so in the cluster", async () => {
    await harness.hub.put("gpg-keys", name, { data: { AAAA: "one", BBBB: "two", CCCC: "three" } });
    await untilKeys({ AAAA: "one", BBBB: "two", CCCC: "three" });
    await harness.hub.put("gpg-keys", name, { data: { BBBB: "two" } });
    await untilKeys({ BBBB: "two" });
  });

  test("GPGKey_RevertLocalChange and GPGKey_RevertLocalDeletion: what is changed or deleted in the cluster is put back", async () => {
    await harness.there.put("gpg-keys", name, { data: { EVIL: "another" } });
    await untilKeys({ BBBB: "two" });
    await harness.there.remove("gpg-keys", name);
    await untilKeys({ BBBB: "two" });
  });

  test("GPGKey_Managed: keys that the hub has no more are gone in the cluster, where their ConfigMap stays", async () => {
    await harness.hub.remove("gpg-keys", name);
    await untilKeys({});
    expect(await harness.there.get("gpg-keys", name)).toBeDefined();
  });
});

test("known hosts come too, and a kind that the hub may not read holds nothing up and takes nothing away", async () => {
  await harness.there.put("tls-certs", "argocd-tls-certs-cm", { data: { "git.example": "the cluster's" } });
  await harness.hub.put("tls-certs", "argocd-tls-certs-cm", { data: { "git.example": "the hub's" } });
  await harness.hub.put("known-hosts", "argocd-ssh-known-hosts-cm", {
    data: { ssh_known_hosts: "git.example ssh-ed25519 AAAA" },
  });
  await expect
    .poll(async () => (await harness.there.get("known-hosts", "argocd-ssh-known-hosts-cm"))?.["data"], harness.patience)
    .toEqual({ ssh_known_hosts: "git.example ssh-ed25519 AAAA" });
  expect((await harness.there.get("tls-certs", "argocd-tls-certs-cm"))?.["data"]).toEqual({
    "git.example": "the cluster's",
  });
  expect(await harness.unreadableKinds()).toEqual(["tls-certs"]);
});

test("SkipSync_AppProject and SkipSync_Repository: what is labelled stays on the hub, and what gets the label goes from the cluster", async () => {
  const labels = { "fairlead.dev/ignore-sync": "true" };
  await harness.hub.put("projects", "skipped", { labels, spec: harness.projectSpec() });
  await harness.hub.put("projects", "skipping", { spec: harness.projectSpec() });
  await harness.hub.putRepository("repo-skipped", { project: "skipping" }, "repository", labels);
  await harness.hub.putRepository("repo-of-skipped", { project: "skipped" });
  await harness.hub.putRepository("repo-skipping", { project: "skipping" });
  await harness.untilThere("repositories", "repo-skipping", {});
  await harness.untilSettled();
  expect(await harness.there.get("projects", "skipped")).toBeUndefined();
  for (const name of ["repo-skipped", "repo-of-skipped"])
    expect(await harness.there.get("repositories", name)).toBeUndefined();
  await harness.hub.putRepository("repo-skipping", { project: "skipping" }, "repository", labels);
  await harness.untilGone("repositories", "repo-skipping");
  await harness.hub.put("projects", "skipping", { labels, spec: harness.projectSpec() });
  await harness.untilGone("projects", "skipping");
  await harness.hub.put("projects", "skipped", { labels: {}, spec: harness.projectSpec() });
  await harness.untilThere("repositories", "repo-of-skipped", {});
});

describe("what happens while neither hub nor agent runs", () => {
  const far = { destinations: [{ name: "west", namespace: "*" }] };
  beforeAll(async () => {
    for (const name of ["updated", "deleted", "unmatched", "undone", "both"])
      await harness.hub.put("projects", name, { spec: harness.projectSpec() });
    for (const name of ["updated", "deleted", "given-away"])
      await harness.hub.putRepository(`r-${name}`, { project: "updated" });
    await harness.hub.putRepository("r-unmatched", { project: "unmatched" });
    for (const name of ["updated", "deleted", "unmatched", "undone", "both"])
      await harness.untilThere("projects", name, {});
    for (const name of ["updated", "deleted", "given-away", "unmatched"])
      await harness.untilThere("repositories", `r-${name}`, {});
    await harness.stop();
    await harness.hub.put("projects", "created", { spec: harness.projectSpec() });
    await harness.hub.put("projects", "updated", { spec: harness.projectSpec({ description: "new" }) });
    await harness.hub.put("projects", "unmatched", { spec: harness.projectSpec(far) });
    await harness.hub.remove("projects", "deleted");
    await harness.there.remove("projects", "undone");
    await harness.there.remove("projects", "both");
    await harness.hub.remove("projects", "both");
    await harness.hub.putRepository("r-created", { project: "created" });
    await harness.hub.putRepository("r-updated", { project: "updated", password: "new" });
    await harness.hub.putRepository("r-given-away", { project: "unmatched" });
    await harness.hub.remove("repositories", "r-deleted");
    await harness.start();
  });

  test("AppProjectResync_OnCreate: a new project comes", () => harness.untilThere("projects", "created", {}));
  test("AppProjectResync_OnUpdate: a changed one is as on the hub, and one for others goes", async () => {
    await harness.untilThere("projects", "updated", { spec: { description: "new" } });
    await harness.untilGone("projects", "unmatched");
  });
  test("AppProjectResync_OnDeletion: a deleted one goes", () => harness.untilGone("projects", "deleted"));
  test("AppProjectResync_CreateOnAgentDelete: one that went in the cluster is made again", () =>
    harness.untilThere("projects", "undone", {}));
  test("AppProjectResync_DeleteOnAgentDelete: one that went on both sides stays away", async () => {
    await harness.untilSettled();
    expect(await harness.there.get("projects", "both")).toBeUndefined();
  });
  test("RepositoryResync_OnCreation: a new Secret comes", () => harness.untilThere("repositories", "r-created", {}));
  test("RepositoryResync_OnUpdate: a changed one is as on the hub, and one given to another project goes", async () => {
    await harness.untilData("repositories", "r-updated", { password: "new" });
    await harness.untilGone("repositories", "r-given-away");
  });
  test("RepositoryResync_OnDeletion: a deleted one goes", () => harness.untilGone("repositories", "r-deleted"));
  test("RepositoryResync_OnAppProjectUpdate: one whose project is for others now goes", () =>
    harness.untilGone("repositories", "r-unmatched"));
});

const inCluster = { name: "in-cluster", server: "https://kubernetes.default.svc" };
