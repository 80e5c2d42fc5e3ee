export { awsLoadBalancerController } from "./aws-load-balancer-controller.ts";
