export const commandPaths: {
  readonly commands: string;
  command(id: string): string;
  cancelCommand(id: string): string;
  retryCommand(id: string): string;
  approveCommand(id: string): string;
  approvePlanning(id: string): string;
  rejectCommand(id: string): string;
  commandLog(id: string): string;
  readonly commandKeys: string;
  readonly rotateCommandKeys: string;
} = {
  commands: "/api/v1/commands",
  command: (id) => `/api/v1/commands/${encodeURIComponent(id)}`,
  cancelCommand: (id) => `/api/v1/commands/${encodeURIComponent(id)}/cancel`,
  retryCommand: (id) => `/api/v1/commands/${encodeURIComponent(id)}/retry`,
  approveCommand: (id) => `/api/v1/commands/${encodeURIComponent(id)}/approve`,
  approvePlanning: (id) => `/api/v1/commands/${encodeURIComponent(id)}/approve-plan`,
  rejectCommand: (id) => `/api/v1/commands/${encodeURIComponent(id)}/reject`,
  commandLog: (id) => `/api/v1/commands/${encodeURIComponent(id)}/log`,
  commandKeys: "/api/v1/command-keys",
  rotateCommandKeys: "/api/v1/command-keys/rotate",
};

/** The header of a part of a log: the offset after its last byte, where the log is known to have ended for now. */
export const logNextHeader = "fairlead-log-next";
