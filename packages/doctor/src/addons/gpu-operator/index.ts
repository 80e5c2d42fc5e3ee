export { gpuOperator } from "./gpu-operator.ts";
