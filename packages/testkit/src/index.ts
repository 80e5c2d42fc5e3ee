export {
  type Application,
  type ApplicationOptions,
  type Argo,
  type ArgoCli,
  type ArgoCluster,
  type ArgoClusterOptions,
  type ArgoHub,
  type ArgoHubOptions,
  type ArgoOptions,
  type ArgoRepository,
  type ArgoServer,
  applicationOf,
  openArgoCli,
  openArgoRepository,
  prepareArgoCd,
  prepareArgoCrds,
  type RepoServer,
  startApplicationController,
  startApplicationSetController,
  startArgoCluster,
  startArgoHub,
  startArgoServer,
  startRedis,
  startRepoServer,
  type TestRedis,
} from "./argocd/index.ts";
export { type Balancer, startBalancer } from "./balancer/index.ts";
export { type Cable, startCable } from "./cable/index.ts";
export {
  type ChartName,
  chartFolder,
  type Helm,
  type Manifest,
  openHelm,
  type PodProgram,
  type RenderOptions,
  readPodProgram,
} from "./charts/index.ts";
export {
  type ApiClient,
  type ApiRequest,
  type ApiResponse,
  type AppliedObject,
  applyObjects,
  type ClusterAccess,
  type CommandOptions,
  type CommandResult,
  type Component,
  type ComponentName,
  createApiClient,
  createAuthority,
  issueCertificate,
  type KeyPairPem,
  openCluster,
  runCommand,
  type ServiceAccountRef,
  type StartClusterOptions,
  type StoredObject,
  startCluster,
  type TestCluster,
} from "./cluster/index.ts";
export {
  createAgentKubeconfig,
  endDatabase,
  ensureBuilt,
  findLogLines,
  type HubCables,
  type JoinedCluster,
  joinCluster,
  type Program,
  programArgs,
  type Restartable,
  type SignIn,
  type StartAgentOptions,
  type StartHubOptions,
  type StartHubsOptions,
  startAgent,
  startHub,
  startHubs,
  startProgram,
  type TestAgent,
  type TestHub,
  type TestHubs,
} from "./fairlead/index.ts";
export { choosePositions, type ForgetfulDisk, mountForgetful, type PowerCut } from "./forgetful-disk/index.ts";
export {
  type GitHttp,
  type GitSsh,
  openTestRepository,
  startGitHttp,
  startGitSsh,
  type TestRepository,
} from "./git/index.ts";
export { type FileLock, tryFileLock } from "./locks/index.ts";
export { copyDatabase, databaseVariable, fillFolder } from "./made/index.ts";
export { type NatsOptions, startNats, type TestNats } from "./nats/index.ts";
export { startPgBouncer } from "./pgbouncer/index.ts";
export { type Postgres, type Standby, startPostgres } from "./postgres/index.ts";
export {
  type ExitInfo,
  type PortLease,
  type RunningProcess,
  reservePorts,
  type StartProcessOptions,
  startProcess,
} from "./processes/index.ts";
export { repoRoot } from "./repo-root.ts";
export { createNamespace, sharedCluster, type TestNamespace } from "./shared/index.ts";
export { applyStandIns } from "./stand-ins/index.ts";
export {
  type DebianProgram,
  ensureDebianProgram,
  ensureImageTool,
  ensureNpmPackage,
  ensureOldKubectl,
  ensurePythonClient,
  ensureTools,
  findImageTool,
  type GoBuildInfo,
  type ImageTool,
  imageGoVersion,
  kubernetesVersion,
  type NpmPackage,
  type PythonClient,
  type ToolName,
  type ToolPaths,
} from "./tools/index.ts";
