import { Fields } from "@fairlead/kernel";
import { readOwner } from "./entries.ts";

/** Whether the one context of this text leads through a hub; `kubectl config view --minify --output json` writes it. */
export function leadsThroughHub(viewed: string): boolean {
  const config = new Fields(JSON.parse(viewed));
  const [context] = config.at("contexts").list();
  if (readOwner(context?.at("context").raw)) return true;
  // Somebody may have written it by hand.
  const [cluster] = config.at("clusters").list();
  return (cluster?.at("cluster", "server").text() ?? "").includes(clusterPaths);
}

const clusterPaths = "/k8s/clusters/";
