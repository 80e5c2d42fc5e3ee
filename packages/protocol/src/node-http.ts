/**
 * Node's `http`. An `import` of a value of it reads all that it has, and by that loads Node's `fetch` and `WebSocket`: 35 ms
 * of CPU time at each start, for what neither hub nor agent uses.
 */
export const nodeHttp: typeof import("node:http") = process.getBuiltinModule("node:http");
