/** The last parts of the node monitoring agent's repository. */
export const monitoringAgentImage = "eks/eks-node-monitoring-agent";
