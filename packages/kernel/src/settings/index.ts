export { settingErrors } from "./errors.ts";
export { formatHelp } from "./help.ts";
export {
  address,
  type Bounds,
  boolean,
  choice,
  choices,
  duration,
  type Kind,
  kindOf,
  list,
  type Reading,
  rate,
  size,
  text,
  whole,
} from "./kinds.ts";
export { replaceTables } from "./markdown.ts";
export { file, folder, folders } from "./paths.ts";
export { type PrintedSetting, printSettings } from "./print.ts";
export { type ReadSettings, readSettings, type SettingSources } from "./read-settings.ts";
export { secretInFlag } from "./secret-in-flag.ts";
export { type Former, group, type Program, type Secret, type Setting, type SettingTable, wholly } from "./setting.ts";
export { userFolder } from "./user-folder.ts";
