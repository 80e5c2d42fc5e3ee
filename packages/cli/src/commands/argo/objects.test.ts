import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signedIn } from "../../testing/signed-in.fixture.ts";

test("objects that clusters share are read from manifests, with values of Secrets as plain text", async () => {
  await using harness = await signedIn();
  const put: unknown[] = [];
  for (const path of ["projects/shop", "repositories/git", "gpg-keys/argocd-gpg-keys-cm"])
    harness.hub.routes.set(`PUT /api/v1/argo/${path}`, (body) => {
      const [kind = "", name = ""] = path.split("/");
      put.push([path, JSON.parse(body)]);
      return { status: 200, body: { ...argoObject, kind, name } };
    });
  const labels = { "argocd.argoproj.io/secret-type": "repository" };
  const manifests = [
    { kind: "AppProject", metadata: { name: "shop", namespace: "argocd" }, spec: { sourceRepos: ["*"] } },
    {
      kind: "Secret",
      metadata: { name: "git", labels },
      stringData: { password: "hunter2" },
      data: { project: Buffer.from("shop").toString("base64") },
    },
    { kind: "ConfigMap", metadata: { name: "argocd-gpg-keys-cm" }, data: { AAAA: "a key" } },
  ].map((manifest) => JSON.stringify(manifest));
  const file = join(mkdtempSync(join(tmpdir(), "fairlead-argo-")), "shop.yaml");
  writeFileSync(file, manifests.join("\n---\n"));
  const { stdout } = await harness.cli.run(["argo", "object", "apply", "-f", file]);
  expect(stdout).toBe("projects/shop is kept.\nrepositories/git is kept.\ngpg-keys/argocd-gpg-keys-cm is kept.\n");
  expect(put).toEqual([
    ["projects/shop", { spec: { sourceRepos: ["*"] } }],
    ["repositories/git", { labels, data: { project: "shop", password: "hunter2" } }],
    ["gpg-keys/argocd-gpg-keys-cm", { data: { AAAA: "a key" } }],
  ]);
  writeFileSync(file, JSON.stringify({ kind: "Deployment", metadata: { name: "web" } }));
  expect((await harness.cli.run(["argo", "object", "apply", "-f", file])).stderr).toMatch(/isn't an Argo CD object/);
});

test("--dry-run tells what an apply would change, shows no value of a repository, and writes nothing", async () => {
  await using harness = await signedIn();
  const project = { ...argoObject, kind: "projects", name: "shop", valueNames: [], spec: { sourceRepos: ["a"] } };
  harness.hub.routes.set("GET /api/v1/argo/projects/shop", () => ({ status: 200, body: project }));
  harness.hub.routes.set("GET /api/v1/argo/repositories/git", () => ({ status: 200, body: argoObject }));
  const run = (...manifests: object[]) =>
    harness.cli.run(["argo", "object", "apply", "-f", "-", "--dry-run"], {
      stdin: manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n"),
    });
  const ofShop = (repo: string) => ({ kind: "AppProject", metadata: { name: "shop" }, spec: { sourceRepos: [repo] } });
  const secret = { kind: "Secret", metadata: { name: "git" }, stringData: { password: "hunter2", project: "shop" } };

  expect(await run(ofShop("a"))).toEqual({ code: 0, stdout: "", stderr: "Nothing would change.\n" });
  const { code, stdout } = await run(ofShop("b"), secret);
  expect(code).toBe(1);
  expect(stdout).toContain(
    "--- projects/shop (hub)\n+++ projects/shop (file)\n spec:\n   sourceRepos:\n-    - a\n+    - b\n",
  );
  expect(stdout).toContain("-  password: (of the hub)\n+  password: (of the file)\n+  project: (of the file)\n");
  expect(stdout).not.toContain("hunter2");
  expect(harness.hub.requests.filter(({ line }) => !line.startsWith("GET "))).toEqual([]);
});

test("objects that clusters share are listed kind by kind, and removed when that is confirmed", async () => {
  await using harness = await signedIn();
  const {
    resourceVersion: _r,
    labels: _l,
    annotations: _a,
    spec: _s,
    data: _d,
    valueNames: _v,
    ...summary
  } = argoObject;
  harness.hub.routes.set("GET /api/v1/argo/repositories?limit=500", () => ({
    status: 200,
    body: { items: [summary] },
  }));
  const { stdout } = await harness.cli.run(["argo", "object", "list", "repositories"]);
  expect(stdout).toMatch(/^KIND +NAME +PROJECT\nrepositories +git +shop\n$/);
  const removed: string[] = [];
  harness.hub.routes.set("DELETE /api/v1/argo/repositories/git", () => {
    removed.push("git");
    return { status: 204, body: undefined };
  });
  await harness.cli.run(["argo", "object", "delete", "repositories", "git"]);
  expect(removed).toEqual([]);
  await harness.cli.run(["argo", "object", "delete", "repositories", "git", "--yes"]);
  expect(removed).toEqual(["git"]);
});

const argoObject = {
  kind: "repositories",
  name: "git",
  project: "shop",
  isDeleting: false,
  resourceVersion: "1",
  labels: {},
  annotations: {},
  spec: {},
  data: {},
  valueNames: ["password"],
};
