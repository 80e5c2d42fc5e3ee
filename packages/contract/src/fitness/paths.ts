export const fitnessPaths = { list: "/api/v1/fitness" } as const;
