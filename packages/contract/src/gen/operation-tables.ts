// Written by scripts/write-openapi.ts from the tables of operations.
// The ids of each table's operations.
export const operationTables = {
  hubOperations: ["version", "whoami", "getCa", "rotateCa", "retireCa", "listHubs", "listDeclarations"],
  clusterOperations: ["listClusters", "createCluster", "getCluster", "updateCluster", "createJoinToken", "revokeCluster", "seeClusterAlarm", "removeCluster"],
  signInOperations: ["authMethods", "createSession", "refreshSession", "endCurrentSession", "listSessions", "endSession", "exchangeOidcCode", "startDevice", "pollDevice"],
  browserOperations: ["startOidc", "finishOidc", "endSessionsByProvider"],
  subjectOperations: ["listRobots", "createRobot", "getRobot", "removeRobot", "createRobotToken", "revokeRobotToken", "listUsers", "removeUser", "signOutUser"],
  grantOperations: ["listRoles", "putRole", "removeRole", "listBindings", "createBinding", "removeBinding", "explainAccess", "whoCan"],
  accessRequestOperations: ["createAccessRequest", "listAccessRequests", "getAccessRequest", "approveAccessRequest", "denyAccessRequest", "cancelAccessRequest"],
  auditOperations: ["listAudit", "streamAudit", "verifyAudit", "listRecordings", "readRecording"],
  inventoryOperations: ["listObjects", "getObject", "getNamedObject", "listKinds", "countObjects", "listChanges", "listInventories", "getInventory", "confirmCluster"],
  fitnessOperations: ["listFitness"],
  profileOperations: ["listProfiles", "getProfile", "putProfile", "removeProfile", "listProfileChoices", "getProfileChoice", "putProfileChoice"],
  gitopsOperations: ["getGitopsSettings", "putGitopsSettings", "listGitopsStatus", "getGitopsStatus", "confirmDeletions", "countLeavingApplications", "letApplicationsGo", "listApplications", "listArgoObjects"],
  applicationOperations: ["getApplication", "putApplication", "removeApplication", "syncApplication", "refreshApplication", "terminateApplication", "rollbackApplication", "getApplicationHistory"],
  argoObjectOperations: ["getArgoObject", "putArgoObject", "removeArgoObject"],
  commandOperations: ["createCommand", "listCommands", "getCommand", "cancelCommand", "retryCommand", "approveCommand", "approvePlanning", "rejectCommand", "readCommandLog", "listCommandKeys", "rotateCommandKeys"],
  rolloutOperations: ["createRollout", "previewRollout", "listRollouts", "getRollout", "listRolloutClusters", "pauseRollout", "resumeRollout", "cancelRollout", "retryRollout"],
  scheduleOperations: ["listSchedules", "getSchedule", "putSchedule", "pauseSchedule", "resumeSchedule", "removeSchedule"],
  stackOperations: ["listStacks", "getStack", "createStackRun", "listStackRuns", "getStackRun", "cancelStackRun"],
  templateOperations: ["listTemplates", "getTemplate", "putTemplate", "renderTemplate", "removeTemplate"],
} as const;
