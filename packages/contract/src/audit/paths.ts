export const auditPaths: {
  readonly audit: string;
  readonly auditStream: string;
  readonly auditVerify: string;
  readonly recordings: string;
  recording(requestId: string): string;
} = {
  audit: "/api/v1/audit",
  auditStream: "/api/v1/audit/stream",
  auditVerify: "/api/v1/audit/verify",
  recordings: "/api/v1/audit/recordings",
  recording: (requestId) => `/api/v1/audit/recordings/${encodeURIComponent(requestId)}`,
};
