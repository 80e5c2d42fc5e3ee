// Makes the objects of an installation of argocd-agent 0.9, as its manifests, its CLI and its programs write them.
import type { ClusterAccess } from "@fairlead/testkit";

/** Namespaces of one API server. Those of clusters on the hub have the clusters' names. */
export interface Names {
  readonly argo: string;
  readonly managed: string;
  readonly managedArgo: string;
  readonly autonomous: string;
  readonly autonomousArgo: string;
}

export async function makeInstallation({ api }: ClusterAccess, names: Names): Promise<void> {
  const { argo, managed, managedArgo, autonomous, autonomousArgo } = names;
  await create("/api/v1", "configmaps", {
    metadata: { name: "argocd-agent-params", namespace: argo },
    data: principal,
  });
  for (const name of ["argocd-agent-ca", "argocd-agent-principal-tls"])
    await create("/api/v1", "secrets", { metadata: { name, namespace: argo } });
  for (const [agent, namespace, mode] of [
    [managed, managedArgo, "managed"],
    [autonomous, autonomousArgo, "autonomous"],
  ] as const) {
    await create("/api/v1", "secrets", clusterSecret(agent, argo));
    const data = { "agent.mode": mode, "agent.tls.secret-name": "argocd-agent-client-tls" };
    await create("/api/v1", "configmaps", { metadata: { name: "argocd-agent-params", namespace }, data });
    await create("/apis/apps/v1", "deployments", agentDeployment(namespace));
  }
  await makeManaged();
  await makeAutonomous();

  async function makeManaged(): Promise<void> {
    const destinations = [{ name: managed, namespace: "*" }];
    const project = { sourceRepos: ["*"], sourceNamespaces: [managed], destinations };
    const theirs = await create(argoApi, "appprojects", {
      metadata: { name: "default", namespace: argo },
      spec: project,
    });
    await create(argoApi, "appprojects", {
      metadata: { name: "default", namespace: managedArgo, annotations: copyOf(theirs) },
      spec: {
        ...project,
        sourceNamespaces: [],
        destinations: [{ name: "in-cluster", server: inCluster, namespace: "*" }],
      },
    });
    const shop = await create(argoApi, "applications", {
      metadata: { name: "shop", namespace: managed },
      spec: application("shop", { name: managed, namespace: "shop" }),
      status,
    });
    await create(argoApi, "applications", {
      metadata: { name: "shop", namespace: managedArgo, annotations: copyOf(shop) },
      spec: application("shop", { name: "in-cluster", namespace: "shop" }),
      status,
    });
  }

  async function makeAutonomous(): Promise<void> {
    const own = await create(argoApi, "appprojects", {
      metadata: { name: "default", namespace: autonomousArgo },
      spec: { sourceRepos: ["*"], destinations: [{ server: "*", namespace: "*" }] },
    });
    await create(argoApi, "appprojects", {
      metadata: { name: `${autonomous}-default`, namespace: argo, annotations: mirrorOf(own) },
      spec: {
        sourceRepos: ["*"],
        sourceNamespaces: [autonomous],
        destinations: [{ name: autonomous, server: "*", namespace: "*" }],
      },
    });
    const web = await create(argoApi, "applications", {
      metadata: { name: "web", namespace: autonomousArgo },
      spec: application("web", { server: inCluster, namespace: "web" }),
      status,
    });
    await create(argoApi, "applications", {
      metadata: { name: "web", namespace: autonomous, annotations: mirrorOf(web) },
      spec: { ...application("web", { name: autonomous, namespace: "web" }), project: `${autonomous}-default` },
      status,
    });
  }

  /** Resolves to its uid. */
  async function create(root: string, resource: string, body: Body): Promise<string> {
    const path = `${root}/namespaces/${body.metadata.namespace}/${resource}`;
    const whole = root === argoApi ? { apiVersion: "argoproj.io/v1alpha1", kind: argoKinds[resource], ...body } : body;
    return (await api.json<{ metadata: { uid: string } }>({ method: "POST", path, body: whole })).metadata.uid;
  }
}

interface Body {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly annotations?: object };
  readonly [field: string]: unknown;
}

function clusterSecret(agent: string, namespace: string) {
  return {
    metadata: {
      name: `cluster-${agent}`,
      namespace,
      labels: {
        "argocd.argoproj.io/secret-type": "cluster",
        "argocd-agent.argoproj-labs.io/agent-name": agent,
      },
      annotations: { "managed-by": "argocd.argoproj.io" },
    },
    stringData: { name: agent, server: `https://proxy:9090?agentName=${agent}`, config: "{}" },
  };
}

function agentDeployment(namespace: string) {
  const labels = {
    "app.kubernetes.io/name": "argocd-agent-agent",
    "app.kubernetes.io/part-of": "argocd-agent",
    "app.kubernetes.io/component": "agent",
  };
  const from = { name: "argocd-agent-params", key: "agent.mode", optional: true };
  const container = {
    name: "argocd-agent-agent",
    image: "ghcr.io/argoproj-labs/argocd-agent/argocd-agent:v0.9.0",
    args: ["agent"],
    env: [{ name: "ARGOCD_AGENT_MODE", valueFrom: { configMapKeyRef: from } }],
  };
  return {
    metadata: { name: "argocd-agent-agent", namespace, labels: { "app.kubernetes.io/name": "argocd-agent-agent" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

function application(path: string, destination: object) {
  return { project: "default", destination, source: { repoURL: "https://git.example/apps", path } };
}

/** As the agent writes it on what it copies. */
function copyOf(uid: string) {
  return {
    "argocd.argoproj.io/source-uid": uid,
    "argocd.argoproj.io/principal-uid": "6f5f0a1c-1d7f-4f0e-9f53-0e1a0a1b2c3d",
  };
}

/** As the principal writes it. */
function mirrorOf(uid: string) {
  return {
    "argocd.argoproj.io/source-uid": uid,
    "argocd-agent.argoproj.io/last-updated": "2026-08-21T10:00:00.123456789Z",
  };
}

const argoApi = "/apis/argoproj.io/v1alpha1";
const argoKinds: Readonly<Record<string, string>> = { applications: "Application", appprojects: "AppProject" };
const inCluster = "https://kubernetes.default.svc";
const principal = { "principal.namespace": "argocd", "principal.destination-based-mapping": "false" };
const status = {
  sync: { status: "Synced", revision: "0".repeat(40) },
  health: { status: "Healthy" },
  reconciledAt: "2026-08-21T10:00:00Z",
  resources: [],
};
