/**
 * With the request for a link: the roles that an agent runs, with commas between. Without a certificate of the hub, as
 * where a mesh vouches for the agent, nothing else says them.
 */
export const linkRolesHeader = "fairlead-agent-roles";
