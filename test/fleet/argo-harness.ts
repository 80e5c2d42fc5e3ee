// A hub whose Argo CD has one namespace of an API server, and a managed cluster whose Argo CD has another.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type GitopsKind, gitopsResources } from "@fairlead/protocol";
import {
  type AppliedObject,
  applyObjects,
  type ClusterAccess,
  createNamespace,
  findLogLines,
  joinCluster,
  prepareArgoCrds,
  repoRoot,
  sharedCluster,
  startHub,
  type TestAgent,
  type TestHub,
} from "@fairlead/testkit";
import { expect, vi } from "vitest";
import { parseAllDocuments } from "yaml";

export interface ArgoHarness extends AsyncDisposable {
  /** Its name, and so that of its namespace on the hub. */
  readonly cluster: string;
  /** Argo CD's namespace on the hub. */
  readonly hub: ArgoSide;
  /** … and in the cluster. */
  readonly there: ArgoSide;
  /** The cluster's own namespace on the hub, where its applications are. */
  readonly onHub: ArgoSide;
  /** `fairlead cluster set` for it. */
  set(...args: readonly string[]): Promise<void>;
  readonly logFile: string;
  readonly patience: { readonly timeout: number; readonly interval: number };
  /** The spec of a project for the cluster. */
  projectSpec(fields?: object): object;
  untilThere(kind: GitopsKind, name: string, fields: object): Promise<SeenObject>;
  untilGone(kind: GitopsKind, name: string): Promise<void>;
  /** Until the copy of a Secret has these values; resolves to its metadata. */
  untilData(kind: GitopsKind, name: string, data: Readonly<Record<string, string>>): Promise<SeenObject["metadata"]>;
  /** Until projects and Secrets that were written after all others have come. */
  untilSettled(): Promise<void>;
  /** Those that the hub's log says it can't read, each time. */
  unreadableKinds(): Promise<unknown[]>;
  /** Hub and agent. */
  stop(): Promise<void>;
  start(): Promise<void>;
  readonly agent: TestAgent;
  readonly hubProgram: TestHub;
}

export interface ArgoSide {
  get(kind: GitopsKind, name: string): Promise<SeenObject | undefined>;
  /** Makes it, or replaces all but its metadata; labels are as they are given. */
  put(kind: GitopsKind, name: string, object: { labels?: object; [field: string]: unknown }): Promise<void>;
  putRepository(name: string, values: Readonly<Record<string, string>>, type?: string, labels?: object): Promise<void>;
  remove(kind: GitopsKind, name: string): Promise<void>;
}

export interface SeenObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: object;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export async function openArgoHarness(): Promise<ArgoHarness> {
  await using undo = new AsyncDisposableStack();
  const cluster = await sharedCluster();
  await prepareArgoCrds(cluster);
  const hubArgo = undo.use(await createNamespace(cluster, "hub-argo")).name;
  const clusterArgo = undo.use(await createNamespace(cluster, "argo")).name;
  const name = undo.use(await createNamespace(cluster, "east")).name;
  const kubeconfig = await grantHub(cluster, hubArgo, undo);
  const hub = undo.use(await startHub({ args: ["--argo-kubeconfig", kubeconfig, "--argo-namespace", hubArgo] }));
  const joined = undo.use(
    await joinCluster({
      hub,
      name,
      roles: ["gitops"],
      kubeconfig: cluster.adminKubeconfig,
      agentArgs: ["--argo-namespace", clusterArgo],
    }),
  );
  await hub.cli(["cluster", "set", name, "--gitops-mode", "managed"]);
  const owned = undo.move();
  const side = {
    hub: openSide(cluster, hubArgo),
    there: openSide(cluster, clusterArgo),
    onHub: openSide(cluster, name),
  };
  const projectSpec = (fields: object = {}): object => ({
    sourceRepos: ["*"],
    sourceNamespaces: [name],
    destinations: [{ name, namespace: "*" }],
    ...fields,
  });
  let beacons = 0;
  const untilThere: ArgoHarness["untilThere"] = (kind, named, fields) =>
    vi.waitFor(async () => {
      const found = await side.there.get(kind, named);
      if (found === undefined) throw new Error(`${named} isn't in the cluster`);
      expect(found).toMatchObject(fields);
      return found;
    }, patience);
  return {
    cluster: name,
    ...side,
    logFile: hub.logFile,
    patience,
    projectSpec,
    untilThere,
    untilGone: (kind, named) =>
      vi.waitFor(async () => expect(await side.there.get(kind, named)).toBeUndefined(), patience),
    async untilData(kind, named, values) {
      const { metadata } = await untilThere(kind, named, { data: encode(values) });
      return metadata;
    },
    async untilSettled() {
      const beacon = `beacon-${++beacons}`;
      await side.hub.put("projects", beacon, { spec: projectSpec() });
      await untilThere("projects", beacon, {});
      await side.hub.putRepository(beacon, { project: beacon });
      await untilThere("repositories", beacon, {});
    },
    async set(...args) {
      await hub.cli(["cluster", "set", name, ...args]);
    },
    async unreadableKinds() {
      const lines = await findLogLines(hub.logFile, unreadable);
      return lines.map(({ kind }) => kind);
    },
    agent: joined.agent,
    hubProgram: hub,
    async stop() {
      await Promise.all([hub.stop("KILL"), joined.agent.stop("KILL")]);
    },
    async start() {
      await hub.start();
      await joined.agent.start();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** As docs/argocd-hub.md says, but for the ConfigMap with TLS certificates. */
async function grantHub(cluster: ClusterAccess, namespace: string, undo: AsyncDisposableStack): Promise<string> {
  const page = await readFile(join(repoRoot, "docs/argocd-hub.md"), "utf8");
  const [, yaml = ""] = /```yaml\n([^`]*kind: ClusterRole[^`]*)```/.exec(page) ?? [];
  const documented = parseAllDocuments(yaml.replace(/, argocd-tls-certs-cm/, "")).map(
    (document) => document.toJS() as AppliedObject,
  );
  const name = `${namespace}-hub`;
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const apiGroup = "rbac.authorization.k8s.io";
  const roles = documented.map(
    (role): AppliedObject => ({
      ...role,
      metadata: { name, ...(role.kind === "Role" && { namespace }) },
    }),
  );
  const bindings = roles.map(
    (role): AppliedObject => ({
      ...role,
      kind: `${role.kind}Binding`,
      rules: undefined,
      subjects,
      roleRef: { apiGroup, kind: role.kind, name },
    }),
  );
  await applyObjects(cluster.api, [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    ...roles,
    ...bindings,
  ]);
  for (const kind of ["clusterroles", "clusterrolebindings"])
    undo.defer(async () => {
      await cluster.api.send({ method: "DELETE", path: `/apis/${apiGroup}/v1/${kind}/${name}` });
    });
  return await cluster.kubeconfigForServiceAccount({ namespace, name });
}

function openSide({ api }: ClusterAccess, namespace: string): ArgoSide {
  const side: ArgoSide = {
    async get(kind, name) {
      const { status, text } = await api.send({ path: pathOf(kind, namespace, name) });
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(text);
      return JSON.parse(text) as SeenObject;
    },
    async put(kind, name, { labels, ...fields }) {
      const place = gitopsResources[kind];
      const apiVersion = place.group === "" ? place.version : `${place.group}/${place.version}`;
      for (;;) {
        const found = await side.get(kind, name);
        const metadata = { ...(found?.metadata ?? { name, namespace }), ...(labels && { labels }) };
        const body = { apiVersion, kind: place.kind, ...fields, metadata };
        const path = pathOf(kind, namespace, found && name);
        const { status, text } = await api.send({ method: found ? "PUT" : "POST", path, body });
        if (status < 300) return;
        if (status !== 409 && status !== 404) throw new Error(text);
      }
    },
    async putRepository(name, values, type = "repository", labels = {}) {
      const url = "https://git.example/app";
      const all = { "argocd.argoproj.io/secret-type": type, ...labels };
      await side.put("repositories", name, { labels: all, type: "Opaque", data: encode({ url, ...values }) });
    },
    async remove(kind, name) {
      await api.json({ method: "DELETE", path: pathOf(kind, namespace, name) });
    },
  };
  return side;
}

function pathOf(kind: GitopsKind, namespace: string, name?: string): string {
  const { group, version, resource } = gitopsResources[kind];
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}/namespaces/${namespace}/${resource}${name === undefined ? "" : `/${name}`}`;
}

function encode(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
}

const unreadable = "objects that clusters get can't be read; none of them is deleted for it";
const patience = { timeout: 60_000, interval: 50 };
