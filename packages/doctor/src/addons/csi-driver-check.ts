import { type Check, type CheckInput, fail, pass, safe, type Verdict } from "../checks/index.ts";

const resource = "csidrivers.storage.k8s.io";

/** Checks that the cluster knows a driver by one of its names. */
export function csiDriverCheck(options: {
  readonly addon: string;
  readonly features: Check["features"];
  readonly names: readonly [string, ...string[]];
  readonly attachRequired: boolean;
}): Check {
  const { addon, features, names, attachRequired } = options;
  return {
    id: `${addon}.csi-driver`,
    title: "The driver is registered",
    why: "Without its CSIDriver object nothing of the driver is used: volumes are neither made nor mounted.",
    severity: "required",
    features,
    judge: judgeDriver,
  };

  function judgeDriver({ snapshot }: CheckInput): Verdict {
    const registered = new Set(snapshot.list(resource).map(({ metadata }) => metadata.name));
    const found = names.find((each) => registered.has(each));
    if (found !== undefined) return pass(`${found} is registered.`);
    const [name] = names;
    const driver = { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name }, spec: { attachRequired } };
    return fail(
      `${name} isn't registered.`,
      [{ object: { resource, name }, path: "metadata.name", observed: "no such object", expected: name }],
      { is: "manifest", risk: safe, objects: [driver] },
    );
  }
}
