import { fairlead } from "../profiles/index.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { sparkOperator } from "./spark-operator.ts";

const of = "spark-operator/chart";
const args = "spec/template/spec/containers/0/args";
const withNamespaces = (...words: readonly string[]) =>
  ["Deployment", "spark-operator-controller", args, ["controller", "start", ...words]] as const;

testGolden(sparkOperator, {
  // Its fit shape has the trap in it: the chart puts two quote characters into the argument.
  shapes: [{ of, version: "2.2.1", provenance: "helm" }],
  cases: [
    {
      title: "the chart's default takes jobs from one namespace",
      of,
      change: withNamespaces("--namespaces=default"),
      verdicts: { "spark-operator.job-namespaces": "fail" },
      state: "misconfigured",
    },
    { title: "an empty entry beside others stands for all", of, change: withNamespaces('--namespaces=apps,""') },
    { title: "an empty flag stands for all", of, change: withNamespaces("--namespaces=") },
    { title: "without the flag the operator takes all", of, change: withNamespaces() },
    {
      title: "one namespace is enough for a profile that names no other",
      of,
      change: withNamespaces("--namespaces", "apps"),
      profile: { ...fairlead, argocd: { ...fairlead.argocd, applicationNamespaces: ["apps"] } },
    },
    {
      title: "the webhook takes fewer namespaces than the controller",
      of,
      change: ["Deployment", "spark-operator-webhook", args, ["webhook", "start", "--namespaces=default"]],
      verdicts: { "spark-operator.job-namespaces": "fail" },
    },
  ],
});
