// Projects, repositories and keys of the hub's Argo CD in a managed cluster. Hub and cluster have namespaces of one API
// server, and the hub no more rights than docs/argocd-hub.md says. The tests play Argo CD.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ArgoBed, openArgoBed } from "../fleet/argo-bed.ts";

let bed: ArgoBed;
beforeAll(async () => {
  bed = await openArgoBed();
});
afterAll(() => bed?.[Symbol.asyncDispose]());

test("AppProject_Managed: a project for the cluster comes as its own, follows the hub, and goes when it isn't for it any more", async () => {
  const spec = bed.projectSpec({
    destinations: [
      { name: "west", namespace: "secret" },
      { name: bed.cluster, namespace: "shop" },
    ],
  });
  await bed.hub.put("projects", "shop", { spec: { ...spec, roles: [{ name: "ci" }] } });
  await bed.untilThere("projects", "shop", {
    spec: { destinations: [{ ...inCluster, namespace: "shop" }], sourceRepos: ["*"] },
  });
  const copy = await bed.there.get("projects", "shop");
  expect(copy?.["spec"]).not.toHaveProperty("roles");
  expect(copy?.["spec"]).not.toHaveProperty("sourceNamespaces");
  await bed.hub.put("projects", "shop", { spec: { ...spec, description: "second" } });
  await bed.untilThere("projects", "shop", { spec: { description: "second" } });
  await bed.hub.put("projects", "shop", {
    spec: bed.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }),
  });
  await bed.untilGone("projects", "shop");
  await bed.hub.put("projects", "shop", { spec });
  await bed.untilThere("projects", "shop", {});
  await bed.hub.remove("projects", "shop");
  await bed.untilGone("projects", "shop");
});

test("Default_Managed: the project default that the cluster's Argo CD made becomes the hub's", async () => {
  await bed.there.put("projects", "default", { spec: { sourceRepos: ["*"], description: "the cluster's" } });
  const spec = {
    sourceRepos: ["https://example.com/*"],
    sourceNamespaces: ["*"],
    destinations: [{ server: "*", namespace: "*" }],
  };
  await bed.hub.put("projects", "default", { spec });
  await bed.untilThere("projects", "default", {
    spec: { sourceRepos: ["https://example.com/*"], destinations: [{ ...inCluster, namespace: "*" }] },
  });
});

test("RevertAppProjectUpdates_Managed: a project that is changed or deleted in the cluster is put back", async () => {
  await bed.hub.put("projects", "kept", { spec: bed.projectSpec() });
  const { metadata } = await bed.untilThere("projects", "kept", {});
  await bed.there.put("projects", "kept", { spec: { sourceRepos: ["https://evil.example/*"] } });
  await bed.untilThere("projects", "kept", { spec: { sourceRepos: ["*"] } });
  await bed.there.remove("projects", "kept");
  await expect
    .poll(async () => (await bed.there.get("projects", "kept"))?.metadata.uid ?? metadata.uid)
    .not.toBe(metadata.uid);
});

test("Repository_Managed: the Secret of a project's repository comes, follows the hub and goes", async () => {
  await bed.hub.put("projects", "team", { spec: bed.projectSpec() });
  await bed.hub.putRepository("repo-a", { project: "team", password: "hunter2" });
  expect(await bed.untilData("repositories", "repo-a", { project: "team", password: "hunter2" })).toMatchObject({
    labels: { "argocd.argoproj.io/secret-type": "repository" },
  });
  await bed.hub.putRepository("repo-a", { project: "team", password: "hunter3" });
  await bed.untilData("repositories", "repo-a", { password: "hunter3" });
  await bed.hub.remove("repositories", "repo-a");
  await bed.untilGone("repositories", "repo-a");
  expect(await readFile(bed.logFile, "utf8")).not.toMatch(/hunter[23]/);
});

test("Repository_Late_AppProjectCreation: a Secret waits for its project, and one of another or of none doesn't come", async () => {
  await bed.hub.putRepository("of-west", { project: "west-only" });
  await bed.hub.putRepository("of-nobody", {});
  await bed.hub.putRepository("early", { project: "late" });
  await bed.hub.put("projects", "west-only", {
    spec: bed.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }),
  });
  await bed.untilSettled();
  expect(await bed.there.get("repositories", "early")).toBeUndefined();
  await bed.hub.put("projects", "late", { spec: bed.projectSpec() });
  await bed.untilThere("repositories", "early", {});
  for (const name of ["of-west", "of-nobody"]) expect(await bed.there.get("repositories", name)).toBeUndefined();
});

test("Repository_AppProjectUpdate: a Secret goes with its project, and comes back with it", async () => {
  await bed.hub.put("projects", "moving", { spec: bed.projectSpec() });
  await bed.hub.putRepository("moved", { project: "moving" });
  await bed.untilThere("repositories", "moved", {});
  await bed.hub.put("projects", "moving", {
    spec: bed.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }),
  });
  await bed.untilGone("repositories", "moved");
  await bed.hub.put("projects", "moving", { spec: bed.projectSpec() });
  await bed.untilThere("repositories", "moved", {});
  await bed.hub.remove("projects", "moving");
  await bed.untilGone("repositories", "moved");
});

test("Repository_Change_AppProject: a Secret that is given to another project goes where that one is", async () => {
  await bed.hub.put("projects", "one", { spec: bed.projectSpec() });
  await bed.hub.put("projects", "two", { spec: bed.projectSpec() });
  await bed.hub.put("projects", "far", { spec: bed.projectSpec({ destinations: [{ name: "west", namespace: "*" }] }) });
  await bed.hub.putRepository("given", { project: "one" });
  await bed.untilData("repositories", "given", { project: "one" });
  const { uid } = (await bed.untilThere("repositories", "given", {})).metadata;
  await bed.hub.putRepository("given", { project: "two" });
  await bed.untilData("repositories", "given", { project: "two" });
  expect((await bed.there.get("repositories", "given"))?.metadata.uid).toBe(uid);
  await bed.hub.putRepository("given", { project: "far" });
  await bed.untilGone("repositories", "given");
});

test("RepoCreds_Managed, RepoCreds_AppProjectUpdate and RepoCreds_without_AppProject: credentials go where their project does", async () => {
  const type = "repo-creds";
  await bed.hub.put("projects", "creds", { spec: bed.projectSpec() });
  await bed.hub.putRepository("creds-of-nobody", { password: "hunter2" }, type);
  await bed.hub.putRepository("creds-a", { project: "creds", password: "hunter2" }, type);
  expect(await bed.untilData("repositories", "creds-a", { password: "hunter2" })).toMatchObject({
    labels: { "argocd.argoproj.io/secret-type": type },
  });
  expect(await bed.there.get("repositories", "creds-of-nobody")).toBeUndefined();
  await bed.hub.put("projects", "creds", {
    spec: bed.projectSpec({ destinations: [{ name: "*", namespace: "*" }, { name: `!${bed.cluster}` }] }),
  });
  await bed.untilGone("repositories", "creds-a");
});

test("RevertRepositoryUpdatesManagedMode: a Secret that is changed or deleted in the cluster is put back", async () => {
  await bed.hub.put("projects", "team", { spec: bed.projectSpec() });
  await bed.hub.putRepository("repo-kept", { project: "team", password: "right" });
  const { metadata } = await bed.untilThere("repositories", "repo-kept", {});
  await bed.there.putRepository("repo-kept", { project: "team", password: "wrong" });
  await bed.untilData("repositories", "repo-kept", { password: "right" });
  await bed.there.remove("repositories", "repo-kept");
  await expect
    .poll(async () => (await bed.there.get("repositories", "repo-kept"))?.metadata.uid ?? metadata.uid)
    .not.toBe(metadata.uid);
});

describe("GPGKey", () => {
  const name = "argocd-gpg-keys-cm";
  const untilKeys = (keys: object) =>
    expect.poll(async () => (await bed.there.get("gpg-keys", name))?.["data"] ?? {}, bed.patience).toEqual(keys);

  test("GPGKey_UseAndUpdatePreExistingConfigMap: the ConfigMap that the cluster has gets the hub's keys", async () => {
    await bed.there.put("gpg-keys", name, { data: { LOCAL: "a key of the cluster" } });
    const { uid } = (await bed.there.get("gpg-keys", name))?.metadata ?? {};
    await bed.hub.put("gpg-keys", name, { data: { AAAA: "one" } });
    await untilKeys({ AAAA: "one" });
    expect((await bed.there.get("gpg-keys", name))?.metadata.uid).toBe(uid);
  });

  test("GPGKey_AddMultipleKeys: keys that are added and taken out on the hub are so in the cluster", async () => {
    await bed.hub.put("gpg-keys", name, { data: { AAAA: "one", BBBB: "two", CCCC: "three" } });
    await untilKeys({ AAAA: "one", BBBB: "two", CCCC: "three" });
    await bed.hub.put("gpg-keys", name, { data: { BBBB: "two" } });
    await untilKeys({ BBBB: "two" });
  });

  test("GPGKey_RevertLocalChange and GPGKey_RevertLocalDeletion: what is changed or deleted in the cluster is put back", async () => {
    await bed.there.put("gpg-keys", name, { data: { EVIL: "another" } });
    await untilKeys({ BBBB: "two" });
    await bed.there.remove("gpg-keys", name);
    await untilKeys({ BBBB: "two" });
  });

  test("GPGKey_Managed: keys that the hub has no more are gone in the cluster, where their ConfigMap stays", async () => {
    await bed.hub.remove("gpg-keys", name);
    await untilKeys({});
    expect(await bed.there.get("gpg-keys", name)).toBeDefined();
  });
});

test("known hosts come too, and a kind that the hub may not read holds nothing up and takes nothing away", async () => {
  await bed.there.put("tls-certs", "argocd-tls-certs-cm", { data: { "git.example": "the cluster's" } });
  await bed.hub.put("tls-certs", "argocd-tls-certs-cm", { data: { "git.example": "the hub's" } });
  await bed.hub.put("known-hosts", "argocd-ssh-known-hosts-cm", {
    data: { ssh_known_hosts: "git.example ssh-ed25519 AAAA" },
  });
  await expect
    .poll(async () => (await bed.there.get("known-hosts", "argocd-ssh-known-hosts-cm"))?.["data"], bed.patience)
    .toEqual({ ssh_known_hosts: "git.example ssh-ed25519 AAAA" });
  expect((await bed.there.get("tls-certs", "argocd-tls-certs-cm"))?.["data"]).toEqual({
    "git.example": "the cluster's",
  });
  expect(await bed.unreadableKinds()).toEqual(["tls-certs"]);
});

test("SkipSync_AppProject and SkipSync_Repository: what is labelled stays on the hub, and what gets the label goes from the cluster", async () => {
  const labels = { "fairlead.dev/ignore-sync": "true" };
  await bed.hub.put("projects", "skipped", { labels, spec: bed.projectSpec() });
  await bed.hub.put("projects", "skipping", { spec: bed.projectSpec() });
  await bed.hub.putRepository("repo-skipped", { project: "skipping" }, "repository", labels);
  await bed.hub.putRepository("repo-of-skipped", { project: "skipped" });
  await bed.hub.putRepository("repo-skipping", { project: "skipping" });
  await bed.untilThere("repositories", "repo-skipping", {});
  await bed.untilSettled();
  expect(await bed.there.get("projects", "skipped")).toBeUndefined();
  for (const name of ["repo-skipped", "repo-of-skipped"])
    expect(await bed.there.get("repositories", name)).toBeUndefined();
  await bed.hub.putRepository("repo-skipping", { project: "skipping" }, "repository", labels);
  await bed.untilGone("repositories", "repo-skipping");
  await bed.hub.put("projects", "skipping", { labels, spec: bed.projectSpec() });
  await bed.untilGone("projects", "skipping");
  await bed.hub.put("projects", "skipped", { labels: {}, spec: bed.projectSpec() });
  await bed.untilThere("repositories", "repo-of-skipped", {});
});

describe("what happens while neither hub nor agent runs", () => {
  const far = { destinations: [{ name: "west", namespace: "*" }] };
  beforeAll(async () => {
    for (const name of ["updated", "deleted", "unmatched", "undone", "both"])
      await bed.hub.put("projects", name, { spec: bed.projectSpec() });
    for (const name of ["updated", "deleted", "given-away"])
      await bed.hub.putRepository(`r-${name}`, { project: "updated" });
    await bed.hub.putRepository("r-unmatched", { project: "unmatched" });
    for (const name of ["updated", "deleted", "unmatched", "undone", "both"])
      await bed.untilThere("projects", name, {});
    for (const name of ["updated", "deleted", "given-away", "unmatched"])
      await bed.untilThere("repositories", `r-${name}`, {});
    await bed.stop();
    await bed.hub.put("projects", "created", { spec: bed.projectSpec() });
    await bed.hub.put("projects", "updated", { spec: bed.projectSpec({ description: "new" }) });
    await bed.hub.put("projects", "unmatched", { spec: bed.projectSpec(far) });
    await bed.hub.remove("projects", "deleted");
    await bed.there.remove("projects", "undone");
    await bed.there.remove("projects", "both");
    await bed.hub.remove("projects", "both");
    await bed.hub.putRepository("r-created", { project: "created" });
    await bed.hub.putRepository("r-updated", { project: "updated", password: "new" });
    await bed.hub.putRepository("r-given-away", { project: "unmatched" });
    await bed.hub.remove("repositories", "r-deleted");
    await bed.start();
  });

  test("AppProjectResync_OnCreate: a new project comes", () => bed.untilThere("projects", "created", {}));
  test("AppProjectResync_OnUpdate: a changed one is as on the hub, and one for others goes", async () => {
    await bed.untilThere("projects", "updated", { spec: { description: "new" } });
    await bed.untilGone("projects", "unmatched");
  });
  test("AppProjectResync_OnDeletion: a deleted one goes", () => bed.untilGone("projects", "deleted"));
  test("AppProjectResync_CreateOnAgentDelete: one that went in the cluster is made again", () =>
    bed.untilThere("projects", "undone", {}));
  test("AppProjectResync_DeleteOnAgentDelete: one that went on both sides stays away", async () => {
    await bed.untilSettled();
    expect(await bed.there.get("projects", "both")).toBeUndefined();
  });
  test("RepositoryResync_OnCreation: a new Secret comes", () => bed.untilThere("repositories", "r-created", {}));
  test("RepositoryResync_OnUpdate: a changed one is as on the hub, and one given to another project goes", async () => {
    await bed.untilData("repositories", "r-updated", { password: "new" });
    await bed.untilGone("repositories", "r-given-away");
  });
  test("RepositoryResync_OnDeletion: a deleted one goes", () => bed.untilGone("repositories", "r-deleted"));
  test("RepositoryResync_OnAppProjectUpdate: one whose project is for others now goes", () =>
    bed.untilGone("repositories", "r-unmatched"));
});

const inCluster = { name: "in-cluster", server: "https://kubernetes.default.svc" };
