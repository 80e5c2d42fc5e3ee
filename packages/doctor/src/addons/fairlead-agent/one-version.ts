import { type Check, pass, warn } from "../../checks/index.ts";
import { parseImage } from "../../workloads/index.ts";
import { rolesOf } from "./roles.ts";

export const oneVersion: Check = {
  id: "fairlead-agent.one-version",
  title: "All roles of the agent run the same version",
  why: `Hub and agent work together two minor versions apart. Roles of several versions make that window smaller, and a role
that was left behind is the first to fall out of it.`,
  severity: "recommended",
  features: [],
  judge: ({ installation }) => {
    const roles = rolesOf(installation).flatMap((role) => {
      const { tag } = parseImage(role.container.image);
      return tag === undefined ? [] : [{ ...role, tag }];
    });
    const [usual] = roles.map(({ tag }) => tag);
    const others = roles.filter(({ tag }) => tag !== usual);
    if (usual === undefined) return pass("The roles' images are named by digests.");
    if (others.length === 0) return pass(`All roles run ${usual}.`);
    return warn(
      `Not all roles run ${usual}.`,
      others.map(({ workload, container, tag }) => ({
        object: workload.ref,
        path: `${container.path}.image`,
        observed: tag,
        expected: usual,
      })),
    );
  },
};
