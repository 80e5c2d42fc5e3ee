export { choosePositions } from "./choose-positions.ts";
export { type ForgetfulDisk, mountForgetful, type PowerCut } from "./mount-forgetful.ts";
