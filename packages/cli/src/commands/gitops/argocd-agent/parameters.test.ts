import { expect, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { nameOfParameters, readParameters, runs } from "./parameters.ts";

const from = { name: "its-params", key: "agent.mode" };

test("flags win over variables, and these over ConfigMaps of argocd-agent", () => {
  const mode = (value: string) => ({ name: "ARGOCD_AGENT_MODE", value });
  const maps = [
    configMap({ "agent.mode": "managed", "agent.namespace": "argocd" }),
    configMap({ other: "autonomous" }),
  ];
  const read = (deployment: Manifest) => readParameters({ deployments: [deployment], configMaps: maps })["agent.mode"];
  expect(read(program(["agent"]))).toBe("managed");
  expect(read(program(["agent"], [mode("autonomous")]))).toBe("autonomous");
  expect(read(program(["agent", "--agent-mode", "managed"], [mode("autonomous")]))).toBe("managed");
  expect(read(program(["agent", "--agent-mode=managed"], [mode("autonomous")]))).toBe("managed");
});

test("a flag without a value is set", () => {
  const deployments = [program(["principal", "--destination-based-mapping", "--label-selector", "team=a"])];
  expect(readParameters({ deployments, configMaps: [] })).toEqual({
    "principal.destination-based-mapping": "true",
    "principal.label-selector": "team=a",
  });
});

test("programs of argocd-agent are told from others", () => {
  expect(runs("agent", program(["agent"]))).toBe(true);
  expect(runs("agent", program(["principal"]))).toBe(false);
  expect(runs("agent", program(["agent"], [], { name: "agent", image: "example.com/other:1" }))).toBe(false);
  expect(
    nameOfParameters(program(["agent"], [{ name: "ARGOCD_AGENT_MODE", valueFrom: { configMapKeyRef: from } }])),
  ).toBe("its-params");
  expect(nameOfParameters({ metadata: { name: "empty" } })).toBeUndefined();
});

function configMap(data: Readonly<Record<string, string>>): Manifest {
  return { kind: "ConfigMap", metadata: { name: "params" }, data };
}

function program(args: readonly string[], env: readonly object[] = [], more: object = {}): Manifest {
  const container = { name: "argocd-agent-agent", image: "example.com/argocd-agent:v0.9.0", args, env, ...more };
  return { kind: "Deployment", metadata: { name: "agent" }, spec: { template: { spec: { containers: [container] } } } };
}
