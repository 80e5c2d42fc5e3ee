import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_MESH_PEER_UNTRUSTED: {
    httpStatus: 403,
    message: "{address} isn't an address of the mesh, and agents can reach this hub only through the mesh.",
    hint: "Connect to the hub's address within the mesh. If the mesh uses this address, add it to --mesh-identity-peers.",
    meaning: "A link request came from an address outside `--mesh-identity-peers`.",
  },
  LINK_MESH_HEADER_MISSING: {
    httpStatus: 401,
    message: "The header {header} is missing. The hub identifies agents only by this header, which the mesh sets.",
    hint: "Check that the mesh authenticates the agent and sets the header. Start the agent with --identity mesh.",
    meaning:
      "A link request came from the mesh without its header. The hub doesn't accept a certificate or proof instead.",
  },
  LINK_MESH_HEADER_DOUBLED: {
    httpStatus: 401,
    message: "The header {header} contains more than one identity.",
    hint: "Configure the mesh to replace headers of this name that come from outside.",
    meaning: "The mesh's header came twice, or contains two identities instead of one.",
  },
  LINK_MESH_HEADER_INVALID: {
    httpStatus: 401,
    message: "The header {header} is invalid: {reason}.",
    hint: "Check the value that the mesh sets, and --mesh-identity-header.",
    meaning: "The mesh's header is too long or unreadable.",
  },
  LINK_MESH_IDENTITY_UNKNOWN: {
    httpStatus: 401,
    message: "The mesh's identity for this agent doesn't match an agent of a cluster.",
    hint: "Find the identity in the hub's log. Check that --mesh-identity-pattern matches all of it, and that no proxy with its own identity is between the agent and the hub's side of the mesh.",
    meaning: "The mesh's identity doesn't match `--mesh-identity-pattern`. The hub's log has the identity.",
    remedy:
      "Change the pattern so that it matches the whole identity. If the identity is a gateway's, remove the gateway between the agent and the hub's side of the mesh.",
  },
  LINK_MESH_CLUSTER_UNKNOWN: {
    httpStatus: 401,
    message: "The mesh's identity for this agent names cluster \"{cluster}\", which isn't registered at this hub.",
    hint: "Add it: `fairlead cluster add {cluster}`.",
    remedy: "Add the cluster, or correct `--mesh-identity-pattern`.",
  },
  LINK_MESH_CLUSTER_REVOKED: {
    httpStatus: 403,
    message: 'Cluster "{cluster}" was revoked, so the hub rejects its agents whatever their mesh identity.',
    hint: "To accept them again, run `fairlead cluster token create {cluster}`.",
    meaning: "The mesh's identity names a cluster that was revoked.",
  },
  LINK_MESH_ROLES_MISSING: {
    httpStatus: 400,
    message: "The request has no valid header {header}, which lists the agent's roles.",
    hint: "Start the agent with --identity mesh.",
    meaning: "A link request from the mesh doesn't list the agent's roles.",
  },
  LINK_MESH_ROLE_NOT_GRANTED: {
    httpStatus: 403,
    message: "The mesh's identity for this agent doesn't allow {roles} in cluster \"{cluster}\".",
    hint: "Check the pattern's group role or --mesh-identity-roles. If the cluster lacks the role, add it: `fairlead cluster token create {cluster} --role ROLE`.",
    meaning: "The mesh's identity, or the cluster, doesn't allow a role that the agent runs.",
  },
} as const;

export const meshErrors: Errors<typeof table> = defineErrors(table);
