export const stackPaths: {
  readonly stacks: string;
  stack(name: string): string;
  stackRuns(name: string): string;
  stackRun(name: string, id: string): string;
  cancelStackRun(name: string, id: string): string;
} = {
  stacks: "/api/v1/stacks",
  stack: (name) => `/api/v1/stacks/${encodeURIComponent(name)}`,
  stackRuns: (name) => `/api/v1/stacks/${encodeURIComponent(name)}/runs`,
  stackRun: (name, id) => `/api/v1/stacks/${encodeURIComponent(name)}/runs/${encodeURIComponent(id)}`,
  cancelStackRun: (name, id) => `/api/v1/stacks/${encodeURIComponent(name)}/runs/${encodeURIComponent(id)}/cancel`,
};
