export { argoWorkflows } from "./argo-workflows.ts";
