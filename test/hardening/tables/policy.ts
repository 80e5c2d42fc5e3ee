import { condition, conditions, type KindShapes, type Shape, vary } from "./vary.ts";
import { selectors } from "./workloads.ts";

const rbac = "rbac.authorization.k8s.io";
const user = (name: string): Shape => ({ kind: "User", name, apiGroup: rbac });
const group = (name: string): Shape => ({ kind: "Group", name, apiGroup: rbac });
const account = (name: string): Shape => ({ kind: "ServiceAccount", name, namespace: "team" });
const bindings = (role: string): Shape[] =>
  vary(
    [
      { roleRef: { apiGroup: rbac, kind: role, name: "reader" } },
      { roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "a:b" } },
    ],
    [
      {},
      { subjects: [user("ann")] },
      { subjects: [user("ann"), group("team"), user("bob"), account("bot"), group("all"), account("cat")] },
      { subjects: [account("bot")] },
      { subjects: [group("system:masters")] },
    ],
  );
const roles = vary([{ rules: [] }, { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }]);

const webhook = (name: string): Shape => ({
  name: `${name}.example.com`,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  failurePolicy: "Ignore",
  rules: [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["none"] }],
  clientConfig: { url: "https://127.0.0.1:1/none" },
});
const webhooks = vary([{ webhooks: [] }, { webhooks: [webhook("a")] }, { webhooks: [webhook("a"), webhook("b")] }]);

const paramKinds = [
  {},
  { spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } } },
  { spec: { paramKind: { apiVersion: "example.com/v1", kind: "Limit" } } },
];
const paramRefs = [
  {},
  { spec: { paramRef: { name: "p", parameterNotFoundAction: "Allow" } } },
  { spec: { paramRef: { name: "p", namespace: "team", parameterNotFoundAction: "Deny" } } },
  ...[{}, ...selectors].map((selector) => ({ spec: { paramRef: { selector, parameterNotFoundAction: "Allow" } } })),
  { spec: { paramRef: { parameterNotFoundAction: "Allow" } } },
];
const admissionBindings = vary([{ spec: { policyName: "check" } }, { spec: { policyName: "other" } }], paramRefs, [
  { spec: { validationActions: ["Warn"] } },
]);

export const policyShapes: KindShapes = {
  [`roles.${rbac}`]: roles,
  [`clusterroles.${rbac}`]: roles,
  [`rolebindings.${rbac}`]: bindings("Role"),
  [`clusterrolebindings.${rbac}`]: bindings("ClusterRole"),
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "validatingadmissionpolicies.admissionregistration.k8s.io": vary(
    [{ spec: { validations: [] } }, { spec: { validations: [{ expression: "true" }, { expression: "1 == 1" }] } }],
    paramKinds,
  ),
  "mutatingadmissionpolicies.admissionregistration.k8s.io": vary(
    [
      { spec: { mutations: [] } },
      { spec: { mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }] } },
    ],
    paramKinds,
    [{ spec: { reinvocationPolicy: "Never" } }],
  ),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": admissionBindings,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": admissionBindings,
  "poddisruptionbudgets.policy": vary(
    [
      { spec: { minAvailable: "50%" } },
      { spec: { maxUnavailable: 1 } },
      { spec: { minAvailable: 0 } },
      { spec: { maxUnavailable: "0%" } },
      {},
    ],
    [{}, { status: { disruptionsAllowed: 2 } }],
    selectors.map((selector) => ({ spec: { selector } })),
  ),
  "certificatesigningrequests.certificates.k8s.io": vary(
    [
      { spec: { signerName: "kubernetes.io/kube-apiserver-client", username: "ann" } },
      { spec: { signerName: "example.com/serving", username: "system:node:one" } },
      { spec: { username: "" } },
    ],
    [
      {},
      { spec: { expirationSeconds: 3_600 } },
      { spec: { expirationSeconds: 600 } },
      { spec: { expirationSeconds: 31_536_000 } },
    ],
    [
      {},
      conditions(condition("Approved", "True")),
      conditions(condition("Approved", "True"), condition("Failed", "True")),
      conditions(condition("Approved", "True"), condition("Denied", "True")),
      conditions(condition("Denied", "True")),
      conditions(condition("Failed", "True")),
    ],
    [{}, { status: { certificate: "LS0tLS0=" } }],
  ),
  "clustertrustbundles.certificates.k8s.io": vary([
    { spec: { signerName: "example.com/signer", trustBundle: "x" } },
    { spec: { trustBundle: "x" } },
  ]),
  "podcertificaterequests.certificates.k8s.io": vary(
    [
      { spec: { podName: "x", serviceAccountName: "bot", nodeName: "one", signerName: "example.com/signer" } },
      { spec: {} },
    ],
    [
      {},
      conditions(condition("Issued", "True")),
      conditions(condition("Denied", "True")),
      conditions(condition("Failed", "True"), condition("Other", "True")),
    ],
    [{}, { spec: { unverifiedUserAnnotations: { "example.com/b": "2", "example.com/a": "1" } } }],
  ),
};
