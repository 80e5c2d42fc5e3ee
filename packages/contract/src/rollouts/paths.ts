export const rolloutPaths: {
  readonly rollouts: string;
  readonly previewRollout: string;
  rollout(id: string): string;
  rolloutClusters(id: string): string;
  pauseRollout(id: string): string;
  resumeRollout(id: string): string;
  cancelRollout(id: string): string;
  retryRollout(id: string): string;
} = {
  rollouts: "/api/v1/rollouts",
  previewRollout: "/api/v1/rollouts/preview",
  rollout: (id) => `/api/v1/rollouts/${encodeURIComponent(id)}`,
  rolloutClusters: (id) => `/api/v1/rollouts/${encodeURIComponent(id)}/clusters`,
  pauseRollout: (id) => `/api/v1/rollouts/${encodeURIComponent(id)}/pause`,
  resumeRollout: (id) => `/api/v1/rollouts/${encodeURIComponent(id)}/resume`,
  cancelRollout: (id) => `/api/v1/rollouts/${encodeURIComponent(id)}/cancel`,
  retryRollout: (id) => `/api/v1/rollouts/${encodeURIComponent(id)}/retry`,
};
