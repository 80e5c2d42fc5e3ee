export {
  type ProfileChoice,
  type ProfileChoiceList,
  type PutProfileChoiceRequest,
  usualProfile,
} from "./choice.ts";
export { profileOperations } from "./operations.ts";
export {
  type FitnessProfile,
  type FitnessProfileDetail,
  type FitnessProfileList,
  type PutFitnessProfileRequest,
  profileLimits,
} from "./profile.ts";
