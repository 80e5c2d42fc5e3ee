export {
  type AddonFinding,
  type ClusterFitness,
  type ExaminedWith,
  type Findings,
  type FitnessList,
  type FitnessQuery,
  findingsSchema,
  mostClustersOnPage,
} from "./fitness.ts";
export { fitnessOperations } from "./operations.ts";
