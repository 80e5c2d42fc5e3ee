import type { Addon } from "../../catalogue/index.ts";
import { essentialEverywhere } from "../need.ts";
import { applicationNamespaces } from "./application-namespaces.ts";
import { project } from "./project.ts";
import { restarted } from "./restarted.ts";
import { serverRights } from "./server-rights.ts";
import { single } from "./single.ts";
import { tracking } from "./tracking.ts";

const partOf = { "app.kubernetes.io/part-of": ["argocd"] };

export const argocd: Addon = {
  id: "argocd",
  title: "Argo CD",
  need: essentialEverywhere,
  signals: {
    resources: ["applications.argoproj.io", "appprojects.argoproj.io"],
    // By labels, since OpenShift GitOps has images of its own.
    components: [
      { name: "server", isEssential: true, labels: { ...partOf, "app.kubernetes.io/component": ["server"] } },
      {
        name: "application-controller",
        isEssential: true,
        labels: { ...partOf, "app.kubernetes.io/component": ["application-controller"] },
      },
      { name: "repo-server", isEssential: true, labels: { ...partOf, "app.kubernetes.io/component": ["repo-server"] } },
    ],
  },
  checks: [applicationNamespaces, project, restarted, serverRights, single, tracking],
  unlocks: ["deploy"],
  install: {
    chart: "argo-cd",
    repository: "https://argoproj.github.io/argo-helm",
    version: "9.5.11",
    versionRange: ">=7.0.0 <11.0.0",
    namespace: "argocd",
    release: "argocd",
    order: -20,
    after: [],
    values: ({ profile }) => ({
      // By configs.params, not by arguments: only so does the chart give the server the rights that go with it.
      configs: { params: { "application.namespaces": profile.argocd.applicationNamespaces.join(",") } },
      dex: { enabled: false },
      notifications: { enabled: false },
    }),
  },
};
