/** Hidden: prints cluster names, one a line, and nothing at all when the hub can't be asked. */
export const clustersCommandName = "__clusters";

/** How a shell asks for them. */
export const clustersCommand: string = `fairlead ${clustersCommandName} 2>/dev/null`;
