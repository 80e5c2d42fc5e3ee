export { argoRole, argoTokenTtlMs } from "./argo-account.ts";
export { toSecretLabels } from "./cluster-secret.ts";
export { keepClusterSecrets } from "./cluster-secrets.ts";
