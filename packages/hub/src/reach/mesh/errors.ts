import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_MESH_PEER_UNTRUSTED: {
    httpStatus: 403,
    message: "{address} isn't an address of the mesh, and agents reach this hub only through it.",
    hint: "Dial the hub's address within the mesh. If the mesh itself comes from there, name the address with --mesh-identity-peers.",
    meaning: "A request for a link didn't come from one of `--mesh-identity-peers`.",
  },
  LINK_MESH_HEADER_MISSING: {
    httpStatus: 401,
    message:
      "The header {header} is missing, by which the mesh says who this agent is. The hub knows its agents by nothing else.",
    hint: "See that the mesh authenticates the agent and sets the header on the way to the hub. Start the agent with --identity mesh.",
    meaning:
      "A request for a link came from the mesh without its header. A certificate or proof in its place isn't accepted.",
  },
  LINK_MESH_HEADER_DOUBLED: {
    httpStatus: 401,
    message: "The header {header} says more than once who this agent is.",
    hint: "The mesh must replace headers of this name that come from outside.",
    meaning: "The mesh's header came twice, or has two identities where one is expected.",
  },
  LINK_MESH_HEADER_INVALID: {
    httpStatus: 401,
    message: "The header {header} isn't valid: {reason}.",
    hint: "Look at what the mesh sets it to, and at --mesh-identity-header.",
    meaning: "The mesh's header is too long, or can't be read.",
  },
  LINK_MESH_IDENTITY_UNKNOWN: {
    httpStatus: 401,
    message: "The identity that the mesh gives this agent isn't one of a cluster's agents here.",
    hint: "The hub's log has the identity. See that --mesh-identity-pattern matches the whole of it, and that nothing with an identity of its own stands between the agent and the hub's side of the mesh.",
    meaning: "The mesh's identity doesn't match `--mesh-identity-pattern`. The hub's log has it.",
    remedy:
      "The pattern must match the whole. If it is a gateway's, that stands between the agent and the hub's side of the mesh.",
  },
  LINK_MESH_CLUSTER_UNKNOWN: {
    httpStatus: 401,
    message: 'The mesh says that this agent is of cluster "{cluster}", which this hub doesn\'t know.',
    hint: "Add it: `fairlead cluster add {cluster}`.",
    remedy: "Add it, or correct `--mesh-identity-pattern`.",
  },
  LINK_MESH_CLUSTER_REVOKED: {
    httpStatus: 403,
    message: 'Cluster "{cluster}" was revoked: its agents are refused, whatever the mesh says.',
    hint: "`fairlead cluster token create {cluster}` lets them in again.",
    meaning: "The mesh says that an agent is of a cluster that was revoked.",
  },
  LINK_MESH_ROLES_MISSING: {
    httpStatus: 400,
    message: "The request has no valid header {header}, which says which roles the agent runs.",
    hint: "Start the agent with --identity mesh.",
    meaning: "A request for a link that came from the mesh doesn't say which roles the agent runs.",
  },
  LINK_MESH_ROLE_NOT_GRANTED: {
    httpStatus: 403,
    message: "The mesh's identity of this agent isn't for {roles} in cluster \"{cluster}\".",
    hint: "See what the pattern's group role or --mesh-identity-roles gives. For a role that the cluster isn't for yet: `fairlead cluster token create {cluster} --role ROLE`.",
    meaning: "The mesh's identity isn't for a role that the agent runs, or the cluster isn't.",
  },
} as const;

export const meshErrors: Errors<typeof table> = defineErrors(table);
