export { argoRole, argoTokenTtlMs } from "./argo-account.ts";
export { keepClusterSecrets } from "./cluster-secrets.ts";
