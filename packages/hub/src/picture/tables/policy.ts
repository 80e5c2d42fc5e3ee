// Kinds about rights and admission.
import type { Cell } from "@fairlead/contract";
import { formatRoundedDuration } from "@fairlead/kernel";
import type { Fields } from "@fairlead/kube";
import { age, createdAt, createPrinter, field, fieldOr, formatLabels, integer, name, text, wide } from "./columns.ts";
import type { Printer } from "./types.ts";

const bindingPrinter: Printer = createPrinter(
  name,
  text("Role", (binding) => `${textAt(binding, "roleRef", "kind")}/${textAt(binding, "roleRef", "name")}`),
  age,
  wide(text("Users", (binding) => joinSubjects(binding, "User"))),
  wide(text("Groups", (binding) => joinSubjects(binding, "Group"))),
  wide(text("ServiceAccounts", (binding) => joinSubjects(binding, "ServiceAccount"))),
);
const webhookPrinter: Printer = createPrinter(
  name,
  integer("Webhooks", (object) => object.at("webhooks").list().length),
  age,
);
const admissionBindingPrinter: Printer = createPrinter(
  name,
  field("PolicyName", "spec", "policyName"),
  text("ParamRef", formatParamRef),
  age,
);

export const policyPrinters: Readonly<Record<string, Printer>> = {
  "roles.rbac.authorization.k8s.io": createPrinter(name, createdAt),
  "clusterroles.rbac.authorization.k8s.io": createPrinter(name, createdAt),
  "rolebindings.rbac.authorization.k8s.io": bindingPrinter,
  "clusterrolebindings.rbac.authorization.k8s.io": bindingPrinter,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhookPrinter,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhookPrinter,
  "validatingadmissionpolicies.admissionregistration.k8s.io": createPrinter(
    name,
    integer("Validations", (policy) => policy.at("spec", "validations").list().length),
    text("ParamKind", formatParamKind),
    age,
  ),
  "mutatingadmissionpolicies.admissionregistration.k8s.io": createPrinter(
    name,
    integer("Mutations", (policy) => policy.at("spec", "mutations").list().length),
    text("ParamKind", formatParamKind),
    age,
  ),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": admissionBindingPrinter,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": admissionBindingPrinter,
  "certificatesigningrequests.certificates.k8s.io": createPrinter(
    name,
    age,
    fieldOr("<none>", "SignerName", "spec", "signerName"),
    field("Requestor", "spec", "username"),
    text("RequestedDuration", (request) => {
      const seconds = request.at("spec", "expirationSeconds").number();
      return seconds === undefined ? "<none>" : formatRoundedDuration(seconds * 1_000);
    }),
    text("Condition", readSigningState),
  ),
  "clustertrustbundles.certificates.k8s.io": createPrinter(name, fieldOr("<none>", "SignerName", "spec", "signerName")),
  "podcertificaterequests.certificates.k8s.io": createPrinter(
    name,
    field("PodName", "spec", "podName"),
    field("ServiceAccountName", "spec", "serviceAccountName"),
    field("NodeName", "spec", "nodeName"),
    field("SignerName", "spec", "signerName"),
    text("State", (request) => lastType(request, ["Issued", "Denied", "Failed"]) ?? "Pending"),
    text("UnverifiedUserAnnotations", (request) => formatLabels(request.at("spec", "unverifiedUserAnnotations"))),
  ),
};

function joinSubjects(binding: Fields, kind: string): string {
  return binding
    .at("subjects")
    .list()
    .filter((subject) => subject.at("kind").text() === kind)
    .map((subject) => {
      const title = textAt(subject, "name");
      return kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/${title}` : title;
    })
    .join(", ");
}

function formatParamKind(policy: Fields): Cell {
  const kind = policy.at("spec", "paramKind");
  return kind.exists ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
}

function formatParamRef(binding: Fields): Cell {
  const reference = binding.at("spec", "paramRef");
  const title = reference.at("name").text();
  if (title !== undefined) return `${reference.at("namespace").text() ?? "*"}/${title}`;
  return reference.at("selector").exists ? formatGoSelector(reference.at("selector")) : "<unset>";
}

/** The API server shows this selector in the notation of its own language. */
function formatGoSelector(selector: Fields): string {
  const labels = selector
    .at("matchLabels")
    .entries()
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value.text() ?? ""},`);
  const expressions = selector
    .at("matchExpressions")
    .list()
    .map((expression) => {
      const values = expression.at("values").list();
      const texts = values.map((value) => value.text() ?? "").join(" ");
      const key = textAt(expression, "key");
      return `LabelSelectorRequirement{Key:${key},Operator:${textAt(expression, "operator")},Values:[${texts}],},`;
    });
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

function readSigningState(request: Fields): Cell {
  const has = (type: string): boolean => request.condition(type) !== undefined;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  const isIssued = request.at("status", "certificate").text() !== undefined;
  return `${decision}${has("Failed") ? ",Failed" : ""}${isIssued ? ",Issued" : ""}`;
}

function lastType(object: Fields, types: readonly string[]): string | undefined {
  return object
    .conditions()
    .map(({ type }) => type)
    .findLast((type) => types.includes(type));
}

function textAt(object: Fields, ...path: readonly string[]): string {
  return object.at(...path).text() ?? "";
}
