// The command lines of a cluster's processes: everything on loopback, everything written inside the state folder.
import { join } from "node:path";
import { type ClusterPorts, egressSocket, kubeconfigFile, pkiFolder, podsFolder } from "./layout.ts";
import { kubeletClientName } from "./pki.ts";

export const componentNames = [
  "etcd",
  "podserver",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
] as const;
export type ComponentName = (typeof componentNames)[number];

export interface ComponentContext {
  readonly clusterName: string;
  readonly stateDir: string;
  readonly ports: ClusterPorts;
  readonly podCidr: string;
}

export const commandLines: Readonly<Record<ComponentName, (context: ComponentContext) => string[]>> = {
  etcd: etcdArgs,
  podserver: podserverArgs,
  "kube-apiserver": apiServerArgs,
  "kube-controller-manager": controllerManagerArgs,
  "kube-scheduler": schedulerArgs,
  kwok: kwokArgs,
};

/** Sends whatever the API server dials (kubelets, pods, services, webhooks) through the pod server's socket. */
export function egressConfiguration(stateDir: string): string {
  const transport = { uds: { udsName: egressSocket(stateDir) } };
  return JSON.stringify({
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection: { proxyProtocol: "HTTPConnect", transport } }],
  });
}

export const egressConfigurationFile = (stateDir: string): string => join(stateDir, "egress.json");
export const stagesFile = (stateDir: string): string => join(stateDir, "stages.yaml");

function etcdArgs({ clusterName, stateDir, ports }: ComponentContext): string[] {
  const client = `http://127.0.0.1:${ports.etcdClient}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    `--name=${clusterName}`,
    `--data-dir=${join(stateDir, "etcd")}`,
    // The data dies with the cluster; syncing it to disk would be most of the time that a write takes.
    "--unsafe-no-fsync",
    "--log-level=warn",
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${clusterName}=${peer}`,
    `--quota-backend-bytes=${4 * 1024 ** 3}`,
    // Whatever is written is read from memory; pages go to the file once in a while.
    "--backend-batch-interval=2s",
    "--backend-batch-limit=100000",
  ];
}

function podserverArgs({ stateDir, ports }: ComponentContext): string[] {
  const pki = pkiFolder(stateDir);
  return [
    `--listen=127.0.0.1:${ports.podServer}`,
    `--cert=${join(pki, "kubelet.crt")}`,
    `--key=${join(pki, "kubelet.key")}`,
    `--client-ca=${join(pki, "ca.crt")}`,
    `--client-name=${kubeletClientName}`,
    `--pods-dir=${podsFolder(stateDir)}`,
    `--egress-socket=${egressSocket(stateDir)}`,
  ];
}

function apiServerArgs({ stateDir, ports }: ComponentContext): string[] {
  const pki = (name: string) => join(pkiFolder(stateDir), name);
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcdClient}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${ports.apiServer}`,
    // The machine's own address would show up in discovery documents without these two.
    "--advertise-address=127.0.0.1",
    "--external-hostname=127.0.0.1",
    // Loopback addresses are not valid in Endpoints.
    "--endpoint-reconciler-type=none",
    `--tls-cert-file=${pki("apiserver.crt")}`,
    `--tls-private-key-file=${pki("apiserver.key")}`,
    `--client-ca-file=${pki("ca.crt")}`,
    `--token-auth-file=${pki("tokens.csv")}`,
    "--authorization-mode=Node,RBAC",
    "--allow-privileged=true",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${pki("service-account.pub")}`,
    `--service-account-signing-key-file=${pki("service-account.key")}`,
    `--requestheader-client-ca-file=${pki("front-proxy-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${pki("front-proxy.crt")}`,
    `--proxy-client-key-file=${pki("front-proxy.key")}`,
    `--kubelet-client-certificate=${pki("apiserver-kubelet.crt")}`,
    `--kubelet-client-key=${pki("apiserver-kubelet.key")}`,
    `--kubelet-certificate-authority=${pki("ca.crt")}`,
    "--kubelet-preferred-address-types=InternalIP",
    `--egress-selector-config-file=${egressConfigurationFile(stateDir)}`,
    "--profiling=false",
    // Sharing it out fairly takes a twentieth of its time, and no test is about that. Then nothing is refused, either.
    "--enable-priority-and-fairness=false",
    "--max-requests-inflight=0",
    "--max-mutating-requests-inflight=0",
  ];
}

function controllerManagerArgs({ stateDir }: ComponentContext): string[] {
  const pki = (name: string) => join(pkiFolder(stateDir), name);
  return [
    ...controllerArgs(stateDir, "kube-controller-manager"),
    "--use-service-account-credentials=true",
    `--service-account-private-key-file=${pki("service-account.key")}`,
    `--root-ca-file=${pki("ca.crt")}`,
    `--cluster-signing-cert-file=${pki("ca.crt")}`,
    `--cluster-signing-key-file=${pki("ca.key")}`,
    `--requestheader-client-ca-file=${pki("front-proxy-ca.crt")}`,
    `--flex-volume-plugin-dir=${join(stateDir, "flex")}`,
  ];
}

function schedulerArgs({ stateDir }: ComponentContext): string[] {
  return controllerArgs(stateDir, "kube-scheduler");
}

function controllerArgs(stateDir: string, name: string): string[] {
  const kubeconfig = kubeconfigFile(stateDir, name);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    // Nobody asks for its health or metrics.
    "--secure-port=0",
    "--leader-elect=false",
    // The defaults (20 and 30) are for sparing a real API server, and would set the pace of every test.
    "--kube-api-qps=2000",
    "--kube-api-burst=4000",
    "--profiling=false",
  ];
}

function kwokArgs({ stateDir, ports, podCidr }: ComponentContext): string[] {
  return [
    `--kubeconfig=${kubeconfigFile(stateDir, "kwok")}`,
    `--config=${stagesFile(stateDir)}`,
    "--manage-all-nodes=true",
    "--node-ip=127.0.0.1",
    // Nodes send the API server to our pod server. kwok's own would listen on every interface unless told otherwise.
    `--node-port=${ports.podServer}`,
    "--server-address=127.0.0.1:0",
    "--node-lease-duration-seconds=40",
    `--cidr=${podCidr}`,
  ];
}
