export { argocd } from "./argocd.ts";
