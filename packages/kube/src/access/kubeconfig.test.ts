import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createMovableClock } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stringify } from "yaml";
import { inClusterConfig } from "./in-cluster.ts";
import { loadKubeconfig } from "./kubeconfig.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-kube-"));
});
afterEach(() => rm(folder, { recursive: true }));

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function kubeconfig(options: { cluster?: object; user?: object; namespace?: string } = {}): string {
  const { cluster, user = {}, namespace } = options;
  return stringify({
    "current-context": "main",
    contexts: [
      { name: "main", context: { cluster: "c", user: "u", ...(namespace && { namespace }) } },
      { name: "other", context: { cluster: "d", user: "u" } },
    ],
    clusters: [
      { name: "c", cluster: { server: "https://api.example:6443", ...cluster } },
      { name: "d", cluster: { server: "https://other.example" } },
    ],
    users: [{ name: "u", user }],
  });
}

test("certificates come as data or as files beside the kubeconfig", async () => {
  await writeFile(join(folder, "ca.pem"), "the ca");
  const path = join(folder, "config");
  const user = { "client-certificate-data": base64("cert"), "client-key-data": base64("key") };
  await writeFile(path, kubeconfig({ cluster: { "certificate-authority": "ca.pem" }, user, namespace: "team" }));
  const access = await loadKubeconfig({ path });
  expect(access).toMatchObject({
    ca: "the ca",
    cert: "cert",
    key: "key",
    namespace: "team",
    insecureSkipTlsVerify: false,
  });
  expect(access.server.href).toBe("https://api.example:6443/");
  expect(await access.authorization()).toBeUndefined();
});

test("a named context wins over the current one, and a missing one is named", async () => {
  const text = kubeconfig({ cluster: { "tls-server-name": "x", "insecure-skip-tls-verify": true } });
  expect((await loadKubeconfig({ text })).tlsServerName).toBe("x");
  expect((await loadKubeconfig({ text })).insecureSkipTlsVerify).toBe(true);
  expect((await loadKubeconfig({ text, context: "other" })).server.host).toBe("other.example");
  await expect(loadKubeconfig({ text, context: "gone" })).rejects.toMatchObject({
    code: "KUBE_CONFIG_INVALID",
    message: expect.stringContaining('"gone"'),
  });
});

test("a token is at hand at once; a token file wins over it and is read again as it rotates", async () => {
  const access = await loadKubeconfig({ text: kubeconfig({ user: { token: "abc" } }) });
  expect(access.authorization()).toBe("Bearer abc");

  const clock = createMovableClock();
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "first\n");
  const rotating = await loadKubeconfig({ text: kubeconfig({ user: { token: "abc", tokenFile } }), clock });
  expect(await rotating.authorization()).toBe("Bearer first");
  await writeFile(tokenFile, "second\n");
  expect(rotating.authorization()).toBe("Bearer first");
  clock.move(61_000);
  void rotating.authorization();
  await expect.poll(() => rotating.authorization()).toBe("Bearer second");
});

test("a token file is read again after the clock was set back, before its old token ends", async () => {
  const clock = createMovableClock(3_600_000);
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "first\n");
  const rotating = await loadKubeconfig({ text: kubeconfig({ user: { tokenFile } }), clock });
  expect(await rotating.authorization()).toBe("Bearer first");
  await writeFile(tokenFile, "second\n");
  clock.move(-3_600_000);
  await expect.poll(() => rotating.authorization()).toBe("Bearer second");
});

test("a token file that is gone is an error at first and keeps the old token later", async () => {
  const access = await loadKubeconfig({ text: kubeconfig({ user: { tokenFile: join(folder, "none") } }) });
  await expect(access.authorization()).rejects.toMatchObject({ code: "KUBE_TOKEN_UNREADABLE" });
});

test.each([
  ["proxy-url", { cluster: { "proxy-url": "http://proxy" } }],
  ["basic authentication", { user: { username: "a", password: "secret-b" } }],
  ["auth-provider", { user: { "auth-provider": { name: "gcp" } } }],
  ["impersonation", { user: { as: "root" } }],
])("%s is refused by name", async (feature, options) => {
  const error = await loadKubeconfig({ text: kubeconfig(options) }).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "KUBE_CONFIG_UNSUPPORTED", message: expect.stringContaining(feature) });
  expect(String(error)).not.toContain("secret-b");
});

test.each(["", "a: [", "- x", "kind: Config"])("what isn't a kubeconfig (%j) is refused", async (text) => {
  await expect(loadKubeconfig({ text })).rejects.toMatchObject({ code: "KUBE_CONFIG_INVALID" });
});

test("a credential plugin is run with its environment, once until shortly before its token expires", async () => {
  const count = join(folder, "count");
  const script = join(folder, "plugin.mjs");
  await writeFile(
    script,
    `import { appendFileSync, readFileSync } from "node:fs";
     appendFileSync(${JSON.stringify(count)}, "x");
     const runs = readFileSync(${JSON.stringify(count)}, "utf8").length;
     const { spec, apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
     const token = [process.env.GIVEN, runs, spec.cluster.server].join(" ");
     const expirationTimestamp = new Date(runs * 3600_000).toISOString();
     console.log(JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token, expirationTimestamp } }));`,
  );
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: process.execPath,
    args: [script],
    env: [{ name: "GIVEN", value: "yes" }],
    interactiveMode: "Never",
    provideClusterInfo: true,
  };
  const clock = createMovableClock();
  const access = await loadKubeconfig({ text: kubeconfig({ user: { exec } }), clock });
  expect(access.authorization()).toBe("Bearer yes 1 https://api.example:6443/");
  clock.move(3600_000 - 10_000);
  expect(await access.authorization()).toBe("Bearer yes 2 https://api.example:6443/");
  expect(access.authorization()).toBe("Bearer yes 2 https://api.example:6443/");
});

test("a credential plugin that fails says how, without its output", async () => {
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: process.execPath,
    args: ["-e", "console.log('s3cret'); process.exit(3)"],
  };
  const failed = await loadKubeconfig({ text: kubeconfig({ user: { exec } }) }).catch((error: Error) => error);
  expect(failed).toMatchObject({ code: "KUBE_EXEC_PLUGIN_FAILED", message: expect.stringContaining("exit code 3") });
  const garbled = { ...exec, args: ["-e", "console.log('s3cret')"] };
  const unread = await loadKubeconfig({ text: kubeconfig({ user: { exec: garbled } }) }).catch((error: Error) => error);
  expect(unread).toMatchObject({ code: "KUBE_EXEC_PLUGIN_FAILED" });
  expect(String(unread)).not.toContain("s3cret");
  const missing = { ...exec, command: "fairlead-no-such-plugin" };
  await expect(loadKubeconfig({ text: kubeconfig({ user: { exec: missing } }) })).rejects.toMatchObject({
    message: expect.stringContaining("can't be started"),
  });
});

test("a kubeconfig with a tag that nobody knows is told of without the lines around it, which hold credentials", async () => {
  const warn = vi.spyOn(process, "emitWarning");
  const text = kubeconfig({ user: { token: "s3cret" } }).replace("token:", "token: !odd");
  await loadKubeconfig({ text });
  expect(warn).not.toHaveBeenCalled();
  const broken = await loadKubeconfig({ text: `${text}\n: [` }).catch((error: Error) => error);
  expect(broken).toMatchObject({ code: "KUBE_CONFIG_INVALID" });
  expect(inspect(broken, { depth: 9 })).not.toContain("s3cret");
});

test("in a pod the service account is used", async () => {
  await Promise.all(
    Object.entries({ "ca.crt": "ca", namespace: "fairlead\n", token: "sa-token\n" }).map(([name, text]) =>
      writeFile(join(folder, name), text),
    ),
  );
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const access = await inClusterConfig({ env, folder });
  expect(access).toMatchObject({ ca: "ca", namespace: "fairlead" });
  expect(access.server.href).toBe("https://[fd00::1]/");
  expect(await access.authorization()).toBe("Bearer sa-token");
  await expect(inClusterConfig({ env: {} })).rejects.toMatchObject({ code: "KUBE_NOT_IN_CLUSTER" });
});
