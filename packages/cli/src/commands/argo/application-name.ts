import type { ApplicationName } from "@fairlead/contract";
import { InvalidArgumentError } from "commander";

/** `CLUSTER/NAME`; `CLUSTER/NAMESPACE/NAME` where the hub's namespace isn't the cluster's. */
export function parseApplication(text: string): ApplicationName {
  const [cluster = "", second = "", third, ...more] = text.split("/");
  if (cluster === "" || second === "" || third === "" || more.length > 0)
    throw new InvalidArgumentError("It has to be CLUSTER/NAME or CLUSTER/NAMESPACE/NAME.");
  return third === undefined
    ? { cluster, namespace: cluster, name: second }
    : { cluster, namespace: second, name: third };
}

/** As `parseApplication` takes it. */
export function applicationName({ cluster, namespace, name }: Readonly<Record<string, unknown>>): string {
  return cluster === namespace ? `${cluster}/${name}` : `${cluster}/${namespace}/${name}`;
}

export const applicationArgument = "<application>";
export const applicationDescription = "Application, written CLUSTER/NAME or CLUSTER/NAMESPACE/NAME";
