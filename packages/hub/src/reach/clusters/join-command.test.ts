import type { Role } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { formatHelmJoin, formatJoinCommand, formatMeshHelm } from "./join-command.ts";

const options = { cluster: "east", hubAgentUrl: "https://hub.test:8444", roles: ["proxy"] } as const;

test("the lines for Helm put the token's file into a Secret and name that", () => {
  expect(formatHelmJoin(options)?.command.split("\n")).toEqual([
    "kubectl create namespace fairlead --dry-run=client -o yaml | kubectl apply --server-side -f -",
    "kubectl --namespace fairlead create secret generic fairlead-agent-join --from-file=token=./east.join-token " +
      "--dry-run=client -o yaml | kubectl apply --server-side -f -",
    "helm upgrade --install fairlead-agent charts/fairlead-agent --namespace fairlead " +
      "--set-string hub.url=https://hub.test:8444 --set-string token.existingSecret=fairlead-agent-join",
  ]);
});

test("there are variants for the registry, HTTP proxies, a private authority, and admins who change the cluster", () => {
  const variants = formatHelmJoin(options)?.variants ?? [];
  expect(variants.map((variant) => variant.arguments).join(" ")).toMatch(
    /^--set-string image\.registry=\S+ .*hub\.httpsProxy\.url=.* hub\.httpsProxy\.existingSecret=.* hub\.caBundle\.configMap=.* proxy\.defaultGroups\.admins\.clusterRole=cluster-admin/,
  );
  expect(variants.map(({ before }) => before !== undefined)).toEqual([false, false, true, true, false]);
});

test("what the chart asks for besides is said as a variant: the registry, and for commands their rights", () => {
  const always = (roles: readonly Role[], format: typeof formatHelmJoin) =>
    (format({ ...options, roles })?.variants ?? []).filter(({ when }) => when.startsWith("Always")).length;
  expect([always(["observe"], formatHelmJoin), always(["execute"], formatHelmJoin)]).toEqual([1, 2]);
  expect([always(["observe"], formatMeshHelm), always(["execute"], formatMeshHelm)]).toEqual([1, 2]);
});

test("no lines are given for roles that the chart doesn't have", () => {
  expect(formatHelmJoin({ ...options, roles: ["proxy", "gitops"] })).toBeUndefined();
  expect(formatJoinCommand({ ...options, roles: ["proxy", "gitops"] })).toContain("--roles proxy,gitops ");
});

test("the chart is told which of its roles a token is for", () => {
  const lines = (roles: readonly Role[]): string | undefined => formatHelmJoin({ ...options, roles })?.command;
  expect(lines(["proxy"])).not.toContain("--set ");
  expect(lines(["proxy", "observe"])).toMatch(/fairlead-agent-join --set observe\.enabled=true$/);
  expect(lines(["proxy", "execute"])).toMatch(/fairlead-agent-join --set execute\.enabled=true$/);
  expect(lines(["observe"])).toMatch(/fairlead-agent-join --set proxy\.enabled=false --set observe\.enabled=true$/);
});

test("an address that a shell would read otherwise is quoted", () => {
  const hubAgentUrl = "https://[2001:db8::1]:8444";
  expect(formatHelmJoin({ ...options, hubAgentUrl })?.command).toContain(`--set-string 'hub.url=${hubAgentUrl}' `);
  expect(formatJoinCommand({ ...options, hubAgentUrl })).toContain(`--hub '${hubAgentUrl}' `);
});
