// Argo CD's own programs on the hub, which take part beside people: its CLI deletes applications, and its controller makes,
// changes and deletes those of a set.
import { setTimeout as delay } from "node:timers/promises";
import { type ClusterAccess, startArgoHub } from "@fairlead/testkit";
import { sendSurely } from "./send-surely.ts";

export interface StockArgo extends AsyncDisposable {
  /** `argocd app delete`, until it is done. */
  deleteApplication(application: string, options: { readonly isCascading: boolean }): Promise<void>;
  makeSet(namespace: string): Promise<void>;
  /** The set makes these applications and no others, each with its mark. */
  changeSet(namespace: string, marks: ReadonlyMap<string, number>): Promise<void>;
}

export async function openStockArgo(center: ClusterAccess, namespaces: readonly string[]): Promise<StockArgo> {
  const argo = await startArgoHub(center, { applicationNamespaces: namespaces, applicationSets: true });
  return {
    async deleteApplication(application, { isCascading }) {
      const args = ["app", "delete", application, "--yes", ...(isCascading ? [] : ["--cascade=false"])];
      for (;;) {
        const { code, stdout, stderr } = await argo.cli.run(args, { allowFailure: true });
        if (code === 0) return;
        // An answer may have been lost, and the application be gone meanwhile. Argo CD says the same of an API server that
        // doesn't answer.
        const mayBeGone = /NotFound|not found|PermissionDenied/.test(`${stdout}${stderr}`);
        if (mayBeGone && (await isGone(application))) return;
        await delay(retryMs);
      }
    },
    async makeSet(namespace) {
      const body = {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "ApplicationSet",
        metadata: { name: setName },
        spec: { goTemplate: true, generators: [{ list: { elements: [] } }], template },
      };
      await center.api.json({ method: "POST", path: setsOf(namespace), body });
    },
    async changeSet(namespace, marks) {
      const elements = [...marks].map(([app, mark]) => ({ app, mark: String(mark) }));
      const body = { spec: { generators: [{ list: { elements } }] } };
      const path = `${setsOf(namespace)}/${setName}`;
      await sendSurely(center.api, { method: "PATCH", path, body, contentType: "application/merge-patch+json" });
    },
    [Symbol.asyncDispose]: () => argo[Symbol.asyncDispose](),
  };

  async function isGone(application: string): Promise<boolean> {
    const [namespace = "", name = ""] = application.split("/");
    const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/${name}`;
    return (await sendSurely(center.api, { path })).status === 404;
  }
}

function setsOf(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applicationsets`;
}

const setName = "storm";
const template = {
  metadata: { name: "{{.app}}" },
  spec: {
    project: "default",
    source: { repoURL: "https://git.example.com/storm.git", path: "{{.app}}", targetRevision: "{{.mark}}" },
    destination: { server: "https://kubernetes.default.svc", namespace: "{{.app}}" },
  },
};
const retryMs = 1_000;
