// Hub, agent and CLI at their most talkative, with a word of its own in each place for a secret. The words are then looked
// for in all that the three said and wrote, but for the sealed places.
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CommandDetail } from "@fairlead/contract";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
const word = (of: string): string => `${of}canary${randomBytes(12).toString("hex")}`;
const canaries = {
  helmValue: word("value"),
  chartPassword: word("chart"),
  gitPassword: word("git"),
  proxyPassword: word("proxy"),
  otherProxyPassword: word("otherproxy"),
  cliProxyPassword: word("cliproxy"),
  unknownToken: word("bearer"),
  impersonated: word("impersonate"),
};
let folder: string;
let fleet: Fleet;
let said = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-talkative-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const { helm, tofu } = await ensureTools(["helm", "tofu"]);
  const proxy = await startProxy(canaries.proxyPassword);
  const talkative = ["--log-level", "trace"];
  fleet = undo.use(
    await startFleet({
      roles: ["proxy", "observe", "execute"],
      hub: { args: [...talkative, "--audit-log", join(folder, "audit.jsonl")] },
      agentArgs: talkative,
      agentEnv: {
        PATH: `${dirname(helm)}:${dirname(tofu)}:${process.env["PATH"]}`,
        FAIRLEAD_AGENT_PROXY: `http://agent:${canaries.proxyPassword}@127.0.0.1:${proxy.port}`,
        HTTPS_PROXY: `http://agent:${canaries.otherProxyPassword}@127.0.0.1:${proxy.port}`,
      },
    }),
  );
  expect(proxy.tunnels()).toBeGreaterThan(0);
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  await inNamespace(["create", "rolebinding", "execute", "--clusterrole=admin", agents]);
}, 300_000);
afterAll(() => undo.disposeAsync());

describe("24: at trace, with canaries", () => {
  test(
    "values of a release, and passwords of repositories that repeat them, go by",
    async () => {
      const echo = await startEcho();
      await makeSecret("values", { password: canaries.helmValue });
      await makeSecret("charts", { username: "user", password: canaries.chartPassword }, echo.host);
      await makeSecret("git", { token: canaries.gitPassword }, "127.0.0.1");
      const namespace = fleet.namespace.name;
      const files = {
        "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        "templates/s.yaml":
          "apiVersion: v1\nkind: Secret\nmetadata: {name: made}\nstringData: {p: {{ .Values.p | quote }}}\n",
      };
      const valuesFrom = [{ secret: `${namespace}/values`, key: "password", targetPath: "p" }];
      const release = await run("helm", { release: "web", namespace, chart: { files }, valuesFrom });
      expect(release.state).toBe("succeeded");
      const broken = { ...files, "templates/f.yaml": '{{ fail (printf "%s" .Values.p) }}' };
      const failed = await run("helm", { release: "broken", namespace, chart: { files: broken }, valuesFrom });
      expect(failed.trouble?.code).toBe("HELM_TEMPLATE_FAILED");
      const credentials = { secret: `${namespace}/charts` };
      const repository = `http://${echo.host}`;
      const chart = { repository, name: "web", version: "1.0.0", credentials };
      const refused = await run("helm", { release: "charts", namespace, chart });
      expect(refused.state).toBe("failed");
      expect(echo.saw(Buffer.from(`user:${canaries.chartPassword}`).toString("base64"))).toBe(true);
      const url = `https://${echo.host}/a.git`;
      const password = `\${secret:${namespace}/git/token}`;
      const git = { url, commit: "a".repeat(40), credentials: { username: "git", password } };
      const unfetched = await run("tofu", { name: "infra", namespace, source: { git } });
      expect(unfetched.state).toBe("failed");
      for (const { id } of [release, failed, refused, unfetched]) await cli(["run", "get", id]);
    },
    manyStartsMs,
  );

  test(
    "tokens and names that aren't the caller's go by",
    async () => {
      const path = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/secrets`;
      expect((await requestHub(fleet.hub, `${path}/values`)).status).toBe(200);
      expect((await requestHub(fleet.hub, path, { authorization: `Bearer ${canaries.unknownToken}` })).status).toBe(
        401,
      );
      for (const name of ["Impersonate-Extra-Scopes", "X-Remote-User", "X-Remote-Extra-Scopes"]) {
        await requestHub(fleet.hub, path, { headers: { [name]: canaries.impersonated } });
      }
    },
    manyStartsMs,
  );

  test(
    "the CLI fails in all the ways that have a secret at hand",
    async () => {
      await cli(["cluster", "list", "--output", "json"]);
      await cli(["cluster", "list"], { FAIRLEAD_TOKEN: canaries.unknownToken });
      await cli(["cluster", "list"], { HTTPS_PROXY: `http://me:${canaries.cliProxyPassword}@127.0.0.1:1` });
      await cli(["login", `https://me:${canaries.cliProxyPassword}@127.0.0.1:1`]);
      await cli(["login", fleet.hub.url, "--token", canaries.unknownToken]);
      await cli(["doctor", "east"]);
      await cli(["kubeconfig", "east", "--output", join(folder, "kubeconfig")]);
    },
    manyStartsMs,
  );

  test(
    "SIGUSR1 opens no debugger, and core files of hub, agent and their programs have nothing of their memory",
    async () => {
      const processes = [fleet.hub.process, fleet.joined.agent.process];
      for (const { pid } of processes) process.kill(pid, "SIGUSR1");
      const all = (await Promise.all(processes.map(({ pid }) => withDescendants(pid)))).flat();
      // The hub's PostgreSQL is among them.
      expect(all.length).toBeGreaterThan(3);
      for (const pid of all) {
        const filter = await readFile(`/proc/${pid}/coredump_filter`, "utf8").catch(() => "0");
        expect(Number.parseInt(filter, 16), `${pid}`).toBe(0);
      }
      expect((await requestHub(fleet.hub, "/k8s/clusters/east/api/v1/namespaces/default")).status).toBe(200);
    },
    manyStartsMs,
  );

  test(
    "none of them is in what hub, agent and CLI said, nor in what they wrote outside of the sealed places",
    async () => {
      await fleet.joined.agent.stop();
      await fleet.hub.stop();
      const { stateDir } = fleet.joined.agent;
      const joinToken = (await readFile(join(stateDir, "token"), "utf8")).trim();
      const kubeToken = /token"?: "?([\w.-]{20,})/.exec(await readFile(fleet.agentKubeconfig, "utf8"))?.[1];
      const keys = (await filesIn(join(stateDir, "identity"))).flatMap(({ text }) => [
        ...text.matchAll(/PRIVATE KEY-----\\?n?\s*([A-Za-z0-9+/]{40,64})/g),
      ]);
      expect(kubeToken).toBeDefined();
      expect(keys.length).toBeGreaterThan(0);
      const known = { ...canaries, joinToken, kubeToken: kubeToken ?? "", agentKey: keys[0]?.[1] ?? "" };
      const files = [
        { name: "output of the CLI", text: said },
        ...(await filesIn(dirname(fleet.hub.dataDir))),
        ...(await filesIn(stateDir)),
        ...(await filesIn(folder)),
      ];
      expect(said.length).toBeGreaterThan(1_000);
      const logs = files.filter(({ name }) => /(?:hub|agent)\.log$|audit\.jsonl$/.test(name));
      expect(logs.map(({ text }) => text.length > 1_000)).toEqual([true, true, true]);
      const found = Object.entries(known).flatMap(([secret, text]) =>
        files
          .filter((file) => spellings(text).some((each) => file.text.includes(each)))
          .map(({ name }) => `${secret} in ${name}`),
      );
      expect(found.filter((line) => !sealed.some((place) => place.test(line)))).toEqual([]);
      // Shown once, by the first start.
      const shown = files.find(({ name }) => name.endsWith("hub.log"))?.text.split(fleet.hub.adminToken).length;
      expect(shown).toBe(2);
    },
    manyStartsMs,
  );
});

/** Commands and starts of the CLI by the dozen, on a machine that does other things, too. */
const manyStartsMs = 900_000;
/** Where the agent keeps its key and the token that it was given. */
const sealed = [/^agentKey in .*\/identity\//, /^joinToken in .*\/token$/];

/** Also in a URL, in Basic authentication and in a Secret. */
function spellings(text: string): string[] {
  const pairs = [text, `user:${text}`, `git:${text}`, `agent:${text}`, `me:${text}`];
  return [text, ...pairs.map((pair) => Buffer.from(pair).toString("base64").replace(/=+$/, ""))];
}

async function filesIn(root: string): Promise<{ name: string; text: string }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(name, "latin1").catch(() => "") })));
}

async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout, stderr } = await fleet.hub.cli(args, { env, allowFailure: true });
  said += `${stdout}${stderr}`;
  return stdout;
}

async function run(kind: string, spec: object): Promise<CommandDetail> {
  const file = join(folder, `${kind}.${randomBytes(4).toString("hex")}.json`);
  await writeFile(file, JSON.stringify(spec));
  const args = ["run", kind, "-f", file, "--cluster", "east"];
  const stdout = await cli([...args, "--wait", "--json"]);
  await cli([...args, "--dry-run", "--follow"]);
  const { items } = JSON.parse(stdout) as { items: { id: string }[] };
  return (await requestHub(fleet.hub, `/api/v1/commands/${items[0]?.id}`)).json() as CommandDetail;
}

async function makeSecret(name: string, data: Readonly<Record<string, string>>, host?: string): Promise<void> {
  const literals = Object.entries(data).map(([key, value]) => `--from-literal=${key}=${value}`);
  await inNamespace(["create", "secret", "generic", name, ...literals]);
  if (host !== undefined) await inNamespace(["annotate", "secret", name, `fairlead.dev/hosts=${host}`]);
}

function inNamespace(args: readonly string[]): ReturnType<Fleet["kubectl"]> {
  return fleet.cluster.kubectl([...args, "--namespace", fleet.namespace.name]);
}

async function withDescendants(root: number): Promise<number[]> {
  const tasks = await readFile(`/proc/${root}/task/${root}/children`, "utf8").catch(() => "");
  const children = tasks.split(" ").filter(Boolean).map(Number);
  return [root, ...(await Promise.all(children.map(withDescendants))).flat()];
}

/** A server that says whatever it was sent, as a hostile one would. */
async function startEcho(): Promise<{ host: string; saw(text: string): boolean }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const line = `${request.url} ${JSON.stringify(request.headers)}`;
    seen.push(line);
    response.writeHead(request.headers.authorization ? 500 : 401, {
      "WWW-Authenticate": 'Basic realm="x"',
      "X-You": String(request.headers.authorization),
      "Content-Type": "text/plain",
    });
    response.end(`you sent ${line}\n`);
  });
  const port = await listen(server);
  return { host: `127.0.0.1:${port}`, saw: (text) => seen.some((line) => line.includes(text)) };
}

async function startProxy(password: string): Promise<{ port: number; tunnels(): number }> {
  const wanted = `Basic ${Buffer.from(`agent:${password}`).toString("base64")}`;
  let tunnels = 0;
  const server = createServer();
  server.on("connect", (request, socket) => {
    socket.on("error", () => undefined);
    if (request.headers["proxy-authorization"] !== wanted) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    tunnels++;
    const [host = "", port] = String(request.url).split(":");
    const out = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      out.pipe(socket).pipe(out);
    });
    out.on("error", () => socket.destroy());
    socket.on("close", () => out.destroy());
  });
  return { port: await listen(server), tunnels: () => tunnels };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
