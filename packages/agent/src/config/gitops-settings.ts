// How the agent reaches the Argo CD of its cluster.
import { address, boolean, choices, file, group, type SettingTable, text } from "@fairlead/kernel/settings";
import { type GitopsMode, gitopsModes } from "@fairlead/protocol";
import { namespace, namespaces, objectName } from "./kinds.ts";

export interface GitopsSettings {
  readonly argoNamespace: string;
  readonly argoApplicationNamespaces: readonly string[];
  readonly gitopsModes: readonly GitopsMode[];
  readonly gitopsLease: string | undefined;
  readonly argoRedisAddress: string | undefined;
  readonly argoRedisUsername: string | undefined;
  readonly argoRedisPasswordFile: string | undefined;
  readonly argoRedisTls: boolean | undefined;
  readonly argoRedisCaFile: string | undefined;
  readonly argoHubRedisListen: string | undefined;
  readonly argoHubRepoServerListen: string | undefined;
}

export const gitopsSettings: SettingTable<GitopsSettings> = group<GitopsSettings>("Argo CD", {
  argoNamespace: {
    kind: namespace(),
    fallback: "argocd",
    help: "Namespace of Argo CD in this cluster",
    details: "See [argocd.md](argocd.md).",
  },
  argoApplicationNamespaces: {
    kind: namespaces(),
    fallback: [],
    help: "Other namespaces that Argo CD's applications can be in",
    details: "The hub creates none elsewhere ([argocd.md](argocd.md#copies)).",
  },
  gitopsModes: {
    kind: choices(gitopsModes),
    fallback: gitopsModes,
    help: "Modes that the hub can declare for this cluster",
    details: "The agent rejects any other mode.",
  },
  gitopsLease: {
    kind: objectName("Lease"),
    defaultText: "`fairlead-agent-gitops` in a pod, else none",
    help: "Lease in the agent's own namespace that elects one of several agents with the role gitops",
    details: "Without a Lease this agent leads.",
  },
  argoRedisAddress: {
    kind: address({ toListen: false, example: "argocd-redis.argocd:6379" }),
    help: "Address of Argo CD's Redis in this cluster, for resource trees of applications",
    details: "The hub then shows [resource trees](argocd-hub.md#resource-trees). Requires the role `gitops`.",
  },
  argoRedisUsername: {
    kind: text({ placeholder: "NAME" }),
    defaultText: "that Redis' default user",
    help: "User name for that Redis",
  },
  argoRedisPasswordFile: {
    kind: file(),
    help: "File with the password for that Redis",
    details: "The agent reads it again for each connection.",
  },
  argoRedisTls: {
    kind: boolean(),
    defaultText: "`false`, with a CA `true`",
    help: "Connect to that Redis with TLS",
  },
  argoRedisCaFile: {
    kind: file(),
    defaultText: "the system's",
    help: "Certificates (PEM) to trust for that Redis",
  },
  argoHubRedisListen: {
    kind: address({ toListen: true, example: "127.0.0.1:6379" }),
    help: "Address at which Argo CD in this cluster reaches the Redis that the hub shares",
    details: "See [argocd-hub.md](argocd-hub.md#a-redis-and-a-repo-server-of-the-hub).",
  },
  argoHubRepoServerListen: {
    kind: address({ toListen: true, example: "127.0.0.1:8081" }),
    help: "Address at which Argo CD in this cluster reaches the repo-server that the hub shares",
  },
});
