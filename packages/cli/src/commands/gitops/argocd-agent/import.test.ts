import { expect, test } from "vitest";
import { signedIn } from "../../../testing/signed-in.fixture.ts";
import { destined, writeInstallation } from "./installation.fixture.ts";

test("an installation is shown with its modes, what to look at, and what to type", async () => {
  await using harness = await signedIn();
  const file = await writeInstallation(harness.cli.home);
  const { stdout, code } = await harness.cli.run(["gitops", "import-argocd-agent", "-f", file]);
  expect(code).toBe(0);
  expect(tableOf(stdout)).toEqual([
    ["CLUSTER", "MODE", "APPLICATIONS", "MOVABLE"],
    ["argocd", "unknown", "0", "no"],
    ["east", "managed", "2", "yes"],
    ["new", "unknown", "0", "no"],
    ["west", "autonomous", "1", "yes"],
  ]);
  expect(stdout).toContain("the project shop names a cluster by https://proxy:9090?agentName=east: write its name");
  expect(stdout).toMatch(/east +kept has the label argocd-agent.argoproj-labs.io\/ignore-sync/);
  expect(stdout).toMatch(/argocd +it has the name of Argo CD's own namespace/);
  expect(stdout).toContain("kubectl --namespace argocd label secret cluster-east argocd.argoproj.io/secret-type-\n");
  expect(stdout).toContain("argocd-agent-ca");
  expect(stdout).toContain("the principal doesn't let 1 certificates in");
  expect(stdout).toContain("fairlead cluster set east --gitops-mode managed --gitops-on-uid-mismatch upsert\n");
  expect(stdout).not.toMatch(/cluster set (new|argocd)|hidden/);
});

test("a mode that nothing tells is told", async () => {
  await using harness = await signedIn();
  const file = await writeInstallation(harness.cli.home);
  const { stdout } = await harness.cli.run(["gitops", "import-argocd-agent", "-f", file, "--mode", "new=autonomous"]);
  expect(stdout).toContain("fairlead cluster set new --gitops-mode autonomous\n");
  const wrong = await harness.cli.run(["gitops", "import-argocd-agent", "-f", file, "--mode", "new=off"]);
  expect(wrong.code).toBe(2);
});

test("with the mapping by destination a cluster has what names it, and can't be moved while that would be made twice", async () => {
  await using harness = await signedIn();
  const parameters = { "principal.destination-based-mapping": "true" };
  const more = [
    destined("team", "one", "new"),
    destined("argocd", "two", "new"),
    destined("argocd", "own", "in-cluster"),
  ];
  const file = await writeInstallation(harness.cli.home, parameters, more);
  const { stdout } = await harness.cli.run(["gitops", "import-argocd-agent", "-f", file]);
  expect(tableOf(stdout)).toEqual([
    ["CLUSTER", "MODE", "APPLICATIONS", "MOVABLE"],
    ["argocd", "managed", "0", "no"],
    ["east", "managed", "2", "no"],
    ["new", "managed", "2", "yes"],
    ["west", "managed", "1", "no"],
  ]);
  expect(stdout).toMatch(/east +shop, kept in the namespace east would be made a second time/);
  expect(stdout).toMatch(/new +tell the hub and its agent: --argo-application-namespaces team\n/);
  expect(stdout).toContain("fairlead cluster set new --gitops-mode managed --gitops-mapping destination\n");
  const told = await harness.cli.run(["gitops", "import-argocd-agent", "-f", file, "--mode", "new=autonomous"]);
  expect(told.stdout).toMatch(/new +the mapping by destination is for managed clusters/);
  const { stderr } = await harness.cli.run([
    "gitops",
    "import-argocd-agent",
    "-f",
    file,
    "--mode",
    "new=autonomous",
    "--apply",
    "--yes",
  ]);
  expect(stderr).toContain("CLI_USAGE");
});

test("nothing is moved by files, and nothing moves both ways at once", async () => {
  await using harness = await signedIn();
  const file = await writeInstallation(harness.cli.home);
  for (const wrong of [
    ["-f", file, "--apply"],
    ["-f", file, "--back"],
    ["--apply", "--back"],
  ])
    expect((await harness.cli.run(["gitops", "import-argocd-agent", ...wrong, "--yes"])).code, wrong.join(" ")).toBe(2);
  expect(harness.hub.requests).toEqual([]);
});

test("only the clusters that are asked for are shown, and one that isn't there is said", async () => {
  await using harness = await signedIn();
  const file = await writeInstallation(harness.cli.home);
  const { stdout } = await harness.cli.run(["gitops", "import-argocd-agent", "-f", file, "--cluster", "west"]);
  expect(tableOf(stdout).map(([cluster]) => cluster)).toEqual(["CLUSTER", "west"]);
  const { stderr } = await harness.cli.run(["gitops", "import-argocd-agent", "-f", file, "--cluster", "south"]);
  expect(stderr).toContain("argocd-agent has no agent named 'south'.");
});

function tableOf(stdout: string): string[][] {
  const [table = ""] = stdout.split("\n\n");
  return table
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}
